"""Chinese and English queries that must find what they are about."""

import pytest

from tests.topics.search.engines import EngineMaker
from topics.search.backend import SearchBackend
from topics.search.document import Document
from topics.search.query import parse_query

TEXTS = {
    1: ("中国农业银行发布年报", "中国农业银行公布了去年的利润，乡村贷款继续增长。"),
    2: ("深度学习入门", "深度学习是机器学习的一个分支，常用于图像识别和语音识别。"),
    3: ("新能源汽车下乡", "新能源汽车的充电桩正在乡镇铺开，电池价格下降了三成。"),
    4: ("特高压电网调度", "调度中心用状态估计掌握电网潮流，变电站把遥测量每秒上报一次。"),
    5: ("聚焦爬虫怎样选择链接", "聚焦爬虫先下载锚文本与主题相近的网页，Scrapy是常见的框架。"),
    6: ("關於繁體字的說明", "電力系統與變壓器的術語在兩岸寫法不同，學術論文常見繁體。"),
    7: ("ＧＰＴ－３与全角字符", "有的网页把ＡＢＣ写成全角，检索时应当等同于半角。"),
    8: ("研究生命起源", "研究生命起源的学者在深海热泉里找到了线索。"),
    9: ("五一出行", "5月1日当天，北京站发送旅客23万人次，我在GPT助手里订了票。"),
    10: ("王某的小店", "王某在胡同里开了一家面馆，早上卖豆浆油条。"),
    21: ("Focused crawling", "A focused crawler walks the web and follows promising links first."),
    22: ("Cache coherence", "A processor core has its own cache; one protocol keeps all coherent."),
    23: ("C++ and its cousins", "Templates in C++ are compiled; C# has generics instead."),
    24: ("Newton's laws", "Newton's second law says that force equals mass times acceleration."),
    25: ("Grid operators", "State estimation tells operators how power flows through the grid."),
    26: ("Batteries", "Sodium-ion batteries are cheaper than lithium-ion batteries."),
    27: ("To be or not to be", "The play is read at school; nobody agrees what the prince wanted."),
    28: ("TCP/IP explained", "A packet crosses many routers. E-mail travels over TCP/IP as well."),
    29: ("Running a marathon", "Runners ran through the old town; the winner had run it before."),
    30: ("Café society", "The naïve visitor orders a crème brûlée and reads Node.js tutorials."),
}

CHINESE = [
    ("农业银行", 1),
    ("农业 银行", 1),
    ("中国农业银行", 1),
    ("乡村贷款", 1),
    ("深度学习", 2),
    ("机器学习 图像", 2),
    ("深度學習", 2),
    ("语音识别", 2),
    ("新能源", 3),
    ("新能源 汽车", 3),
    ("充电桩", 3),
    ("電池", 3),
    ("电网 调度", 4),
    ("特高压", 4),
    ("变电站", 4),
    ("电力系统", 6),
    ("变压器", 6),
    ("繁体字", 6),
    ("GPT", 7),
    ("全角 abc", 7),
    ("生命", 8),
    ("生命起源", 8),
    ("热泉", 8),
    ("Scrapy 爬虫", 5),
    ("锚文本", 5),
    ("王", 10),
    ("豆浆", 10),
    ("五一", 9),
    ("半角", 7),
    ("面馆 油条", 10),
]
CHINESE_PHRASES = [
    ('"深度学习"', 2),
    ("“农业银行”", 1),
    ("「充电桩正在乡镇」", 3),
    ('"状态估计掌握电网潮流"', 4),
    ('"聚焦爬虫"', 5),
    ('"深度學習是機器學習"', 2),
    ('"5月1日"', 9),
    ('"在GPT"', 9),
    ('"生命起源的学者"', 8),
    ('"电力系统与变压器"', 6),
    ('"ＧＰＴ－３"', 7),
    ('"一家面馆"', 10),
    ("『旅客23万人次』", 9),
    ('"公布了去年的利润"', 1),
    ('"图像识别和语音识别"', 2),
    ('"电池价格下降了三成"', 3),
    ('"每秒上报一次"', 4),
    ('"與主題相近的網頁"', 5),
    ('"學術論文常見繁體"', 6),
    ('"在深海热泉"', 8),
]
ENGLISH = [
    ("crawler", 21),
    ("crawlers", 21),
    ("crawling links", 21),
    ("FOCUSED", 21),
    ("cache", 22),
    ("caches coherent", 22),
    ("protocols", 22),
    ("c++", 23),
    ("c#", 23),
    ("templates", 23),
    ("newton", 24),
    ("newton's", 24),
    ("accelerations", 24),
    ("grid", 25),
    ("power flow", 25),
    ("operator", 25),
    ("sodium-ion", 26),
    ("battery", 26),
    ("e-mail", 28),
    ("tcp/ip", 28),
    ("packets", 28),
    ("runs marathons", 29),
    ("café", 30),
    ("node.js", 30),
    ("cache -crawler", 22),
    ("ｃｏｈｅｒｅｎｃｅ", 22),
    ("generics", 23),
    ("lithium ion", 26),
    ("schools princes", 27),
    ("naïve visitors", 30),
]
ENGLISH_PHRASES = [
    ('"focused crawler"', 21),
    ('"promising links first"', 21),
    ('"its own cache"', 22),
    ("“second law”", 24),
    ('"force equals mass"', 24),
    ('"state estimation"', 25),
    ('"to be or not to be"', 27),
    ('"lithium-ion batteries"', 26),
    ('"crème brûlée"', 30),
    ('"over tcp/ip"', 28),
    ('"the old town"', 29),
    ('"c++ are compiled"', 23),
    ('"packet crosses many routers"', 28),
    ('"Follows promising"', 21),
    ('"sodium-ion batteries are cheaper"', 26),
    ('"nobody agrees what"', 27),
    ('"winner had run"', 29),
    ('"power flows through the grid"', 25),
    ('"c# has generics"', 23),
    ('"newton\'s second law"', 24),
]


@pytest.fixture(scope="module")
def golden(make_engine: EngineMaker) -> SearchBackend:
    backend = make_engine()
    backend.index([Document(number, *text) for number, text in TEXTS.items()])
    return backend


@pytest.mark.parametrize(("text", "page"), [*CHINESE, *CHINESE_PHRASES, *ENGLISH, *ENGLISH_PHRASES])
def test_a_golden_query_finds_its_page(golden: SearchBackend, text: str, page: int) -> None:
    hits = golden.search(parse_query(text), limit=10).hits

    assert page in [hit.id for hit in hits]


@pytest.mark.parametrize(
    "text",
    [
        *(
            '"学习深度"',
            '"银行农业"',
            '"年报 中国农业银行"',
            '"晁年"',
            '"law second"',
            '"cache own"',
        ),
        *("深度学习 -机器学习", "c", "农业银行 深度学习", '"年报中国"', "crawler -promising"),
    ],
)
def test_what_no_page_holds_is_not_found(golden: SearchBackend, text: str) -> None:
    assert golden.search(parse_query(text)).total == 0


def test_a_word_in_the_title_ranks_before_one_in_the_body(golden: SearchBackend) -> None:
    golden_pages = [hit.id for hit in golden.search(parse_query("学习")).hits]

    assert golden_pages[0] == 2
