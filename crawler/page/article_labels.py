"""Lines inside an article's element that its site says, not the article."""

import re
from typing import Final

#: Longest label and remark, in bytes of UTF-8.
MAX_LABEL: Final = 80
MAX_REMARK: Final = 260

_LABEL = 80
_LABEL = re.compile(
    r"\s{0,9}(?:(?:related|recommended|popular|similar|latest|more|most[- ]read)"
    r" (?:articles?|stories|story|posts?|news|reading|links|content|topics?|from|on|in|coverage)\b"
    r"|you (?:may|might) (?:also )?(?:like|enjoy|be interested)|read (?:more|also|next)\b"
    r"|(?:next|previous) (?:article|post)\b"
    r"|join the (?:discussion|conversation)|do(?:łą|la)cz do dyskusji|suggested citation\b"
    r"|share (?:this|on|via)|(?:\d+ )?comments?\b(?! on)|leave a (?:comment|reply)|advertisement"
    r"|(?:auch|das könnte (?:dich|sie)|sie könnten auch).{0,30}interess|lesen sie auch"
    r"|mehr (?:zum|von|aus)\b"
    r"|weitere (?:artikel|beiträge|meldungen|themen)|ähnliche|anzeige\b"
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
_CREDIT = re.compile(
    r"\s{0,9}[\[(]?(?:(?:photo|image|picture)s?(?: (?:credit|source)s?)?"
    r"|credits?(?: photos?)?|crédits?(?: photos?)?"
    r"|(?:titel|beitrags|symbol)?(?:bild|foto)(?:er|s|nachweis|quelle|rechte)?"
    r"|abb(?:ildung|\.)|grafik|quelle|fotograf[íi]a"
    r"|zdj(?:ęcie|\.)|图片?来源|圖片?來源)\s?[:：]",
    re.IGNORECASE,
)
#: What a reader may do, what a site asks for or declares.
_PROMPT = re.compile(
    r"(?:sign up (?:here|now|today|for|to)\b|subscribe (?:to|now|here|today)\b|our newsletter\b"
    r"|follow us (?:on|at)\b|like us on\b|if you (?:enjoyed|liked) (?:reading )?this"
    r"|get the latest\b"
    r"|was this (?:article|page|post) (?:helpful|useful)|download (?:our|the) app\b"
    r"|with the .{0,30}\bapp\.?$|licen[sc]ed under (?:a )?(?:cc|creative)|unter cc[- ]by\b"
    r"|responsible for the opinions|opinions expressed .{0,60}(?:own|author)"
    r"|we may (?:receive|earn) (?:an? )?(?:\w{1,12} )?(?:commission|compensation)"
    r"|all rights reserved"
    r"|you must be logged in|comments are closed|no ratings yet"
    r"|(?:artikel|beitrag|seite) (?:für (?:dich|sie) )?(?:nützlich|hilfreich)"
    r"|(?:artikel|beitrag|seite) teilen\b|gefällt das\b|(?:unseren?|zum|den) newsletter\b"
    r"|nicht (?:eingeloggt|angemeldet)|keine bewertungen|ohne gewähr\b"
    r"|kommentare (?:sind )?geschlossen"
    r"|möchten sie weiterlesen|^\W{0,3}(?:zuletzt )?aktualisiert (?:am|:)|alle rechte vorbehalten"
    r"|(?:inscrivez|abonnez)-vous|suivez-nous|engagent que leurs? auteurs?|tous droits réservés"
    r"|suscríbe(?:te|nse)|síguenos|nuestro canal|todos los derechos reservados"
    r"|zapisz się (?:do|na)|wszelkie prawa zastrzeżone"
    r"|扫码关注|掃碼關注|关注我们|關注我們|版权所有|版權所有)",
    re.IGNORECASE,
)


def is_label(text: str) -> bool:
    """True for the heading of a list of other things, such as "Related articles"."""
    return _LABEL.match(text) is not None


def is_remark(text: str) -> bool:
    """True for a picture's credit or caption, a prompt to the reader, and small print."""
    return "©" in text or _CREDIT.match(text) is not None or _PROMPT.search(text) is not None
