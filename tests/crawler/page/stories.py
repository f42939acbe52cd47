"""Stories as several sites report them, and others that only sound alike; made for these tests.

Each story is reprinted with another site's frame around it, cut short, edited, or under a
changed headline. What only sounds alike: the next report of a series, another story of the
same subject, and the same frame around something else.
"""

import random
from dataclasses import dataclass
from itertools import combinations


@dataclass(frozen=True, slots=True)
class StoryFeatures:
    """One page: its story, title and text."""

    story: str
    title: str
    text: str


_ENGLISH = {
    "Village microgrid keeps the lights on through record storm": """
When the line from the valley fell on Tuesday night, the forty houses above the mill did not
notice. Their batteries took over within a second and fed the pumps until Friday noon. The
cooperative that owns them had argued for three years about the price. Engineers from the county
came on Saturday to read the meters and left with a long list of questions. Two neighbouring
villages have asked for the plans, and the council will vote on a loan in March.""",
    "Harbour town swaps diesel ferries for battery boats": """
The last diesel ferry left the quay on Sunday with a brass band on its deck. From this week four
battery boats cross the bay every twenty minutes, charged by cables that dock on their own. The
captain says the hardest part is the silence, because swimmers no longer hear him coming. Ticket
prices stay as they were. The old engines go to a museum that has not been built yet.""",
    "Researchers print a solar cell on ordinary newspaper": """
A team of six has printed a working cell on a page of yesterday's paper. It bends, it tears and
it gives about a tenth of what glass cells give, yet it costs less than the ink of the
headlines. The trick is a layer of wax that is melted into the fibres before printing. After two
weeks in a damp cellar the page still worked. The team wants to try wallpaper next.""",
    "School kitchen heats four hundred meals with old laptop cells": """
Four hundred lunches a day are cooked on batteries that once ran laptops. Pupils of the technical
class tested every cell by hand and threw away one in three. The rest sit in a shed behind the
gym, guarded by a sensor that smells smoke. Gas bills fell to nothing in May. The head cook says
that rice turns out better, and that she was against it at first.""",
    "Wind farm stops its blades for migrating cranes": """
For nine nights the blades on the ridge stood still while the cranes went over. Volunteers with
radar screens on their knees called the control room whenever a flock came near. The operator
lost the price of a small car and gained, it says, a better name. Fourteen birds were found last
year; this autumn there was one. Other farms along the route are watching.""",
    "City maps every roof and finds room for twenty thousand panels": """
A plane with a laser flew over the city for three evenings and measured each roof to the width of
a hand. The map shows where the sun falls, hour by hour, and what that would be worth. Anyone can
look up a house, which some owners dislike. Twenty thousand roofs would pay for their panels in
eight years. Most of them belong to people who rent them out and pay no power bill.""",
}
_CHINESE = {
    "山村微电网在暴雪中连续供电七十二小时": """
周二夜里主线路被压断，山上的四十户人家几乎没有察觉。电池在一秒之内接替供电，水泵一直运转到周五中午。
拥有电池的合作社为价格争论了三年，如今没有人再提旧事。县里的工程师周六上门抄表，带走了一长串问题。
邻近两个村子已经来要图纸，村委会将在三月表决贷款。老人说，屋里的灯比年轻时的月亮还亮。""",
    "海港小城用电池渡轮替换最后一艘柴油船": """
最后一艘柴油渡轮在周日伴着铜管乐队离开码头。从本周起，四艘电池渡轮每二十分钟横渡海湾一次，靠岸时电缆自动接上。
船长说最难适应的是安静，游泳的人再也听不见船来。票价不变，旧发动机将送往一座尚未动工的博物馆。
渔民起初担心电缆惊扰鱼群，两个月过去，网里的鱼并没有变少。""",
    "研究人员把太阳能电池印在旧报纸上": """
六人小组把一块能发电的电池印在昨天的报纸上。它能弯曲，也会撕破，发电量只有玻璃电池的十分之一，成本却低于油墨。
诀窍是在印刷之前把一层蜡融进纸纤维。在潮湿的地窖里放了两个星期，报纸仍在工作。
小组接下来想试试墙纸，也有人提议印在雨伞上，让人边走边给手机充电。""",
    "学校食堂用旧笔记本电池做四百份午饭": """
每天四百份午饭，用的是当年笔记本电脑里的电池。技工班的学生逐个检测，淘汰了三分之一。
剩下的放在体育馆后面的小屋里，由一只能闻到烟味的传感器看守。五月的燃气账单降到了零。
厨师长说米饭更香了，她承认自己一开始是反对的。下学期，隔壁的小学也要照着做一套。""",
    "风电场为迁徙的鹤停转九个夜晚": """
九个夜晚，山脊上的叶片静止不动，鹤群从上方飞过。志愿者把雷达屏幕放在膝上，一有鸟群靠近就给控制室打电话。
运营方损失了一辆小汽车的钱，却说换来了好名声。去年找到十四只死鸟，今年秋天只有一只。
沿线的其他风电场正在观望，有的已经派人来学习怎样看雷达。""",
    "全城屋顶普查找到两万处可装光伏的地方": """
一架带激光的飞机连飞三个傍晚，把每座屋顶量到一掌宽。地图逐小时标出阳光落在哪里、值多少钱。
谁都可以查某一座房子，有些房主并不高兴。两万座屋顶的光伏板八年就能回本。
可惜其中大多数房子是出租的，房东自己并不付电费。市里打算让租客也能从中分到一份。""",
}
#: What another editor made of the headline.
_REWRITTEN = {
    "Village microgrid keeps the lights on through record storm": (
        "Record storm: lights stay on in the village with its own microgrid"
    ),
    "Harbour town swaps diesel ferries for battery boats": (
        "Battery boats replace diesel ferries in harbour town"
    ),
    "Researchers print a solar cell on ordinary newspaper": (
        "A solar cell on newspaper: researchers print power"
    ),
    "School kitchen heats four hundred meals with old laptop cells": (
        "Old laptop cells cook four hundred school meals a day"
    ),
    "Wind farm stops its blades for migrating cranes": (
        "Migrating cranes: wind farm halts blades for nine nights"
    ),
    "City maps every roof and finds room for twenty thousand panels": (
        "Room for twenty thousand panels, city roof map finds"
    ),
    "山村微电网在暴雪中连续供电七十二小时": "暴雪七十二小时，山村微电网没有断电",
    "海港小城用电池渡轮替换最后一艘柴油船": "最后一艘柴油船退役，海港小城启用电池渡轮",
    "研究人员把太阳能电池印在旧报纸上": "旧报纸上印出太阳能电池",
    "学校食堂用旧笔记本电池做四百份午饭": "四百份午饭，学校食堂用的是旧笔记本电池",
    "风电场为迁徙的鹤停转九个夜晚": "九个夜晚，风电场停转为鹤让路",
    "全城屋顶普查找到两万处可装光伏的地方": "两万处屋顶可装光伏，全城普查有了结果",
}
#: Other stories under headlines that sound the same.
_SOUND_ALIKE = {
    "en": {
        "Village microgrid keeps its members waiting for a second winter": """
The forty members who paid for more batteries in spring will not see them before the thaw. The
maker has gone out of business and its stock is locked in a warehouse two borders away. A lawyer
hopes for an auction. Until then a diesel generator hums behind the church, which nobody wants to
talk about at the bakery.""",
        "Wind farm stops its expansion after a vote": """
Fifty-one of a hundred citizens said no on Sunday, and so the ridge keeps the eleven towers it
has. The mayor spoke of a lesson in manners: letters had come too late and in too small a print.
The company may ask again in five years, and says that it will knock on every door first.""",
    },
    "zh": {
        "山村微电网扩容计划推迟到明年冬天": """
春天交了钱的四十户人家，要等到开化以后才能见到新电池。厂家已经倒闭，存货锁在两个国家以外的仓库里。
律师寄希望于拍卖。在那之前，教堂后面的柴油机还得响下去，面包店里没有人愿意提起它。""",
        "风电场为扩建举行的投票没有通过": """
周日的投票里，一百人中有五十一人反对，山脊上仍是原来的十一座塔。镇长说这是一堂礼貌课：信寄得太晚，字印得太小。
公司五年后可以再提，并表示下一次会先挨家挨户敲门。""",
    },
}
_FRAMES = {
    "en": [
        ("Grid Week|Home\nNews\nOpinion\nJobs", "About us\nContact\nTerms of use"),
        (
            "The Ridge Courier|Front page\nLocal\nSport\nWeather today: rain",
            "Subscribe now\nImprint",
        ),
        ("energy.example|Menu\nSearch\nSign in", "Most read: five ways to dry wood\nCookies"),
    ],
    "zh": [
        ("村网|首页\n新闻\n评论", "关于我们\n联系方式"),
        ("山岭日报|头版\n本地\n体育\n今日天气：有雨", "订阅\n版权声明"),
        ("能源在线|菜单\n搜索\n登录", "热门：晒干木柴的五种办法\n隐私政策"),
    ],
}
_PREFIXES = {"en": ["", "Breaking: ", "Report: "], "zh": ["", "快讯：", "关注｜"]}
_JOINTS = {"en": [" - ", " | "], "zh": ["_", " - "]}
_ADDED = {
    "en": "Our correspondent was there and spoke to people who asked not to be named.",
    "zh": "本报记者到现场采访，几位受访者不愿透露姓名。",
}


def _sentences(text: str, language: str) -> list[str]:
    stop = "." if language == "en" else "。"
    joined = (" " if language == "en" else "").join(text.split("\n")).strip()
    return [f"{part.strip()}{stop}" for part in joined.split(stop) if part.strip()]


def _framed(
    title: str, body: list[str], language: str, frame: int, rng: random.Random
) -> tuple[str, str]:
    names, foot = _FRAMES[language][frame]
    site, _, menu = names.partition("|")
    full = f"{rng.choice(_PREFIXES[language])}{title}{rng.choice(_JOINTS[language])}{site}"
    return full, "\n".join([menu, title, *body, foot])


def _tellings(title: str, text: str, language: str, rng: random.Random) -> list[StoryFeatures]:
    """The story on three sites: whole, edited and cut short."""
    whole = _sentences(text, language)
    edited = [*whole[:2], _ADDED[language], *whole[3:]]
    cut = whole[:-1]
    # Every other editor writes a headline of his own.
    headlines = (title, rng.choice([title, _REWRITTEN.get(title, title)]), title)
    return [
        StoryFeatures(title, *_framed(headline, body, language, frame, rng))
        for frame, (headline, body) in enumerate(zip(headlines, (whole, edited, cut), strict=True))
    ]


def _series(language: str, rng: random.Random) -> list[StoryFeatures]:
    """Reports that differ in their numbers alone, each a story of its own."""
    tellings = []
    for week in range(31, 39):
        share, houses = rng.randint(20, 80), rng.randint(100, 999)
        if language == "en":
            title = f"Solar output report for week {week}"
            body = [
                f"In week {week} the panels of the county gave {share} percent of its power.",
                f"{houses} houses were connected, and the best day was day {week % 7 + 1}.",
            ]
        else:
            title = f"第{week}周光伏发电周报"
            body = [
                f"第{week}周，全县光伏板提供了百分之{share}的电力。",
                f"新接入{houses}户，最好的一天是第{week % 7 + 1}天。",
            ]
        tellings.append(StoryFeatures(title, *_framed(title, body, language, 0, rng)))
    return tellings


def labelled_pairs() -> list[tuple[StoryFeatures, StoryFeatures, bool]]:
    """Pairs of pages of one language, and whether both report one story."""
    rng = random.Random(20261122)
    pairs = []
    for language, stories in (("en", _ENGLISH), ("zh", _CHINESE)):
        tellings = [
            telling
            for _ in range(3)
            for title, text in (stories | _SOUND_ALIKE[language]).items()
            for telling in _tellings(title, text, language, rng)
        ]
        tellings = list(dict.fromkeys([*tellings, *_series(language, rng)]))
        pairs += [
            (one, other, one.story == other.story) for one, other in combinations(tellings, 2)
        ]
    same = [pair for pair in pairs if pair[2]]
    different = [pair for pair in pairs if not pair[2]]
    alike = [pair for pair in different if pair[0].story[:4] == pair[1].story[:4]]
    return same + alike + rng.sample(different, max(0, len(same) - len(alike)))
