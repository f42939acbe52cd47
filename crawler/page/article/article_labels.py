"""Lines inside an article's element that its site says, not the article."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

#: Longest label and remark, in bytes of UTF-8.
MAX_LABEL: Final = 80
MAX_REMARK: Final = 260

_LABEL = re.compile(
    r"[\W_]{0,9}(?:(?:related|recommended|popular|similar|latest|more|most[- ]read)"
    r" (?:articles?|stories|story|posts?|news|reading|links|content|topics?|from|on|in|coverage)\b"
    r"|you (?:may|might) (?:also )?(?:like|enjoy|be interested)"
    r"|(?:read (?:more|also|next)|keep reading)\b"
    r"|(?:next|previous) (?:article|post)\b"
    r"|join the (?:discussion|conversation)|do(?:łą|la)cz do dyskusji|suggested citation\b"
    r"|share (?:this|on|via)|(?:\d+ )?comments?\b(?! on)|leave a (?:comment|reply)|advertisement"
    r"|(?:auch|das könnte (?:dich|sie)|sie könnten auch).{0,30}interess|lesen sie auch"
    r"|mehr (?:zum|von|aus)\b"
    r"|weitere (?:\w{3,12} )?(?:artikel|beiträge|meldungen|themen)|ähnliche|anzeige\b|werbung\b"
    # Contacts for more information.
    r"|(?:(?:presse|medien)-?)?(?:kontakt|ansprechpartner)(?::?in)?(?: (?:für|presse).{0,30})?"
    r"\W{0,3}$"
    r"|(?:(?:press|media|news) )?contacts?\W{0,3}$"
    r"|contact presse|contacto de prensa|kontakt dla mediów"
    r"|(?:媒[体體]|新[闻聞])[联聯](?:系|繫|络|絡).{0,6}$"
    r"|vorschau auf|empfehlungen (?:aus|der)|zitiervorschlag"
    r"|(?:nächster|vorheriger) (?:artikel|beitrag)"
    r"|kommentare?\b|teilen\b"
    r"|à lire aussi|lire aussi|sur le même|articles? (?:liés|similaires|connexes)|partager\b"
    r"|(?:notas|artículos|noticias) relacionad|te puede interesar|lee también|compartir\b"
    r"|(?:相[关關](?:阅读|閱讀|文章|新[闻聞]|推[荐薦]|[链鏈][接結]|[报報][道導])|推[荐薦](?:阅读|閱讀|文章)"
    r"|延伸(?:阅读|閱讀)|(?:网友|網友|最新|热门|熱門)?(?:评论|評論|留言)|更多(?:精彩|[关關]于|新[闻聞]|文章)"
    r"|分享(?:到|至)|猜你喜[欢歡]|[热熱][门門]文章|上一篇|下一篇|[责責]任[编編][辑輯]))",
    re.IGNORECASE,
)
_DATED = re.compile(
    # "Published: 3 April 2020, 12:35" and no more.
    r"[\W_]{0,5}(?:(?:first|last|originally|zuletzt|news|date) )?"
    r"(?:publi(?:shed|ziert|é|cado|cada)|posted|created|(?:last )?(?:updated|modified|reviewed)"
    r"|veröffentlicht|erstellt|aktualisiert|geändert|stand|date|datum|mis à jour|actualizado"
    r"|actualizada|pubblicato|aggiornato|opublikowan[oy]|aktualizacja|utworzono"
    r"|(?:[发發][布佈表]|更新|修改|[编編][辑輯])(?:[时時][间間]|日期|[于於])?)"
    # A date, and up to four words.
    r"(?![^\W\d_])(?=.*(?:(?:19|20)\d\d|\d[./]\d{1,2}[./]\d))"
    r"(?:[\W\d_]*+[^\W\d_]{1,10}+(?![^\W\d_])){0,4}+[\W\d_]*+$",
    re.IGNORECASE,
)
#: What a button says.
_BUTTON = re.compile(
    r"[\W_]{0,5}(?:print(?: recipe| this page)?|(?:show|load|read|see) (?:more|all|less)|copy link"
    r"|click to (?:enlarge|expand|zoom)|enlarge|expand|collapse|external content|jump to recipe"
    r"|(?:rezept|seite|artikel) drucken|drucken|vergrößern|bild vergrößern|mehr (?:an)?zeigen"
    r"|mehr erfahren|weiterlesen|(?:quellen )?(?:aus|ein)blenden|externer inhalt|bei \w+ speichern"
    r"|imprimer|agrandir|lire la suite|imprimir|ampliar|leer más|drukuj|powiększ|czytaj więcej"
    r"|打印(?:本[页頁])?|收藏|展[开開](?:全文|[阅閱][读讀])?|收起|[阅閱][读讀](?:全文|更多)|[查點点][看击擊](?:全文|更多|大图|大圖))"
    r"[\W_]{0,5}$",
    re.IGNORECASE,
)
_CREDIT = re.compile(
    r"\s{0,9}[\[(]?(?:(?:photo|image|picture)s?(?: (?:credit|source)s?)?"
    r"|credits?(?: photos?)?|crédits?(?: photos?)?"
    r"|(?:titel|beitrags|symbol)?(?:bild|foto)(?:er|s|nachweis|quelle|rechte)?"
    r"|abb(?:ildung|\.)|grafik|quelle|fotograf[íi]a"
    r"|zdj(?:ęcie|\.)|图片?来源|圖片?來源)\s?[:：]",
    re.IGNORECASE,
)
#: Prompts to the reader, requests and legal notes of a site. They are literals, since searching
#: them costs a tenth of one regular expression.
_PROMPTS: Final = tuple(
    prompt.strip()
    for prompt in """
    sign up here; sign up now; sign up today; sign up for; sign up to; subscribe to;
    subscribe now; subscribe here; subscribe today; our newsletter; follow us on;
    follow us at; like us on; if you enjoyed this; if you liked this;
    if you enjoyed reading this; if you liked reading this; get the latest;
    was this article; was this page helpful; was this post helpful; download our app;
    download the app; licensed under a cc; licensed under cc; licensed under creative;
    licensed under a creative; unter cc-by; unter cc by; responsible for the opinions;
    may receive compensation; may receive a commission; may earn a commission;
    may earn an affiliate commission; all rights reserved; you must be logged in;
    comments are closed; no ratings yet; artikel nützlich; artikel hilfreich;
    beitrag nützlich; beitrag hilfreich; seite hilfreich; artikel teilen; beitrag teilen;
    gefällt das; unseren newsletter; unserem newsletter; zum newsletter; den newsletter;
    already a subscriber; double-opt-in; this entry was posted; this post was posted;
    beitrag wurde am; eintrag wurde am; artikel wurde am; filed under;
    datenschutzerklärung einverstanden; nicht eingeloggt; nicht angemeldet;
    keine bewertungen; ohne gewähr; kommentare geschlossen; kommentare sind geschlossen;
    möchten sie weiterlesen; aktualisiert am; aktualisiert:; alle rechte vorbehalten;
    inscrivez-vous; abonnez-vous; suivez-nous; engagent que leurs auteurs;
    engagent que leur auteur; tous droits réservés; suscríbete; suscríbanse; síguenos;
    nuestro canal; todos los derechos reservados; zapisz się do; zapisz się na;
    wszelkie prawa zastrzeżone; 扫码关注; 掃碼關注; 关注我们; 關注我們; 版权所有; 版權所有
    """.split(";")
)
#: Several prompts share one of these. On a page without it none of them is looked for.
_PARTS: Final = (
    *("this", "newsletter", "sign up", "subscri", "trag ", "artikel", "licensed under", " com"),
    *("us on", " the ", "geschlossen", "nicht ", "aktualisiert", "zapisz się", "unter cc"),
    *("engagent que", "reserv", "suscríb", "关注", "關注", "所有"),
)
_PROMPTS_BY_PART: Final[dict[str, list[str]]] = {}
for _prompt in _PROMPTS:
    _part = next((part for part in _PARTS if part in _prompt), _prompt)
    _PROMPTS_BY_PART.setdefault(_part, []).append(_prompt)


def is_label(text: str) -> bool:
    """True for the heading of a list of other things, such as "Related articles"."""
    return _LABEL.match(text) is not None


def is_remark(text: str, prompts: Sequence[str] = _PROMPTS) -> bool:
    """True for a picture's credit or caption, a prompt to the reader, and small print.

    Only `prompts` are searched.
    """
    if "©" in text or _CREDIT.match(text) or _DATED.match(text) or _BUTTON.match(text):
        return True
    return bool(prompts) and any(map(text.lower().__contains__, prompts))


def prompts_in(texts: Iterable[str]) -> list[str]:
    """Return the prompts that `is_remark` may find in some texts: in most pages none."""
    lowered = "\n".join(texts).lower()
    return [
        prompt
        for part, prompts in _PROMPTS_BY_PART.items()
        if part in lowered
        for prompt in prompts
        if prompt in lowered
    ]
