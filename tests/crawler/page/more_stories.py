"""A second set of stories and pairs of reports, drawn before the code was run on any.

Each story is put together from parts of its own. Others of the same subject share many of them, so
that similar stories are hard to separate. Copies stand in another site's frame, are cut, lightly
edited, or carry another headline.
"""

import random
from itertools import combinations

from tests.crawler.page.stories import StoryFeatures

_EN = {
    "where": "Oakhurst Lindale Marwick Tollerby Fenwood Carrick Dunholm Pellsea".split(),
    "who": [
        "the council",
        "a farmers' club",
        "two retired engineers",
        "the school's parents",
        "a brewery",
        "the harbour office",
        "a nurse and her brother",
        "the choir",
    ],
    "what": [
        "a battery the size of a garden shed",
        "forty panels on the sports hall",
        "a wind turbine bought second hand",
        "a heat pump for the swimming pool",
        "charging posts behind the station",
        "a small dam that turns a wheel",
        "insulation for every roof in the street",
        "a meter that anybody may read",
    ],
    "why": [
        "because the old boiler failed in February",
        "after the bill had doubled in a year",
        "to keep the cold store running in storms",
        "so that the bus can be charged at noon",
        "since the grid operator would not wait",
        "as nobody else had answered their letters",
    ],
    "how": [
        "They borrowed the money from the village itself, at two per cent.",
        "Half of it came from a lottery, the other half from cake.",
        "A bank had refused three times and then asked to take part.",
        "Every household laid one day's work and one hundred of the local coins.",
        "The permit took eleven months, the building nine days.",
    ],
    "then": [
        "On the first evening the lights of the whole lane went out, and came back brighter.",
        "Since then the fish have returned, the warden says, though nobody counted them.",
        "Visitors come on Saturdays and are given soup and a page of figures.",
        "The insurance still has not said what it thinks of it.",
        "A newspaper from the city wrote that it would not last; it has lasted.",
        "Next year the neighbours across the river want one too.",
    ],
    "say": [
        "“I would do it again, but with gloves,” says one of them.",
        "“It hums, and we have grown fond of that,” says the baker.",
        "“Nobody reads the meter as often as the children,” says the teacher.",
        "“We were told it was impossible by people who had not tried,” says the smith.",
    ],
}
_ZH = {
    "where": "柳溪镇 石门村 北港 桃源乡 云岭县 白沙湾 南坪 青杨镇".split(),
    "who": [
        "镇政府",
        "一家养殖合作社",
        "两位退休工程师",
        "小学的家长们",
        "一间酒厂",
        "港务所",
        "一位护士和她的弟弟",
        "老年合唱队",
    ],
    "what": [
        "一组跟柴房一样大的储能电池",
        "体育馆屋顶上的四十块光伏板",
        "一台买来的二手风机",
        "泳池用的热泵",
        "车站后面的充电桩",
        "一座带水轮的小水坝",
        "整条街屋顶的保温层",
        "一块谁都能看的电表",
    ],
    "why": [
        "因为旧锅炉在二月坏了",
        "因为一年里电费翻了一倍",
        "为了让冷库在台风天也能开着",
        "好让公交车中午充上电",
        "因为电网公司说还要再等",
        "因为写出去的信没有一封回音",
    ],
    "how": [
        "钱是向全村借的，年息两厘。",
        "一半来自彩票，一半来自义卖。",
        "银行拒绝了三次，后来又要求参股。",
        "每家出一天工，再出一百块钱。",
        "批文等了十一个月，施工只用了九天。",
    ],
    "then": [
        "头一天晚上整条巷子停了电，再亮起来时比从前更亮。",
        "看林人说鱼回来了，只是没有人数过。",
        "每到周六都有人来参观，主人给他们一碗汤和一页数字。",
        "保险公司至今没有表态。",
        "城里的报纸说它撑不过冬天，它撑过来了。",
        "河对岸的邻居说明年也要装一套。",
    ],
    "say": [
        "“再来一次我还干，不过要戴手套。”其中一位说。",
        "“它嗡嗡响，我们倒听习惯了。”面包师说。",
        "“看电表最勤的是孩子们。”老师说。",
        "“说不行的人自己没有试过。”铁匠说。",
    ],
}
_FRAMES_EN = [
    "Evening Post of the coast. Home, News, Sport, Weather, Tides, Jobs. Sign in to comment.",
    "You are reading The Upland Wire. Our letter comes on Fridays. All rights with the authors.",
    "Energy Digest collects what others write. Menu, Archive, About, Contact, Support us.",
]
_FRAMES_ZH = [
    "海岸晚报 首页 新闻 体育 天气 潮汐 招聘 登录后评论",
    "您正在阅读高地通讯。周五邮件订阅。版权归作者所有。",
    "能源文摘收集各地报道。菜单 归档 关于 联系 支持我们",
]
N_STORIES = 32


def _story(rng: random.Random, chinese: bool) -> tuple[str, list[str], str]:
    """Title, sentences and another headline of one story."""
    parts = _ZH if chinese else _EN
    one = {name: rng.choice(values) for name, values in parts.items()}
    then = rng.sample(parts["then"], 3)
    if chinese:
        title = f"{one['where']}：{one['who']}装上{one['what']}"
        lead = f"{one['where']}消息，{one['who']}在本月装上了{one['what']}，{one['why']}。"
        other = f"{one['what']}怎样来到{one['where']}"
    else:
        title = f"In {one['where']}, {one['who']} put up {one['what']}"
        lead = f"In {one['where']} {one['who']} have put up {one['what']}, {one['why']}."
        other = f"How {one['what']} came to {one['where']}"
    return title, [lead, one["how"], then[0], one["say"], *then[1:]], other


def _tellings(rng: random.Random, number: int) -> list[StoryFeatures]:
    """A story as it stands on five sites."""
    chinese = number % 2 == 1
    title, sentences, other = _story(rng, chinese)
    name, glue = f"{'zh' if chinese else 'en'}{number}", "" if chinese else " "
    whole = glue.join(sentences)
    frames = rng.sample(_FRAMES_ZH if chinese else _FRAMES_EN, 3)
    edited = (
        whole.replace("两", "二").replace("还", "仍")
        if chinese
        else whole.replace("still", "even now").replace("nobody", "no one")
    )
    return [
        StoryFeatures(name, title, whole),
        StoryFeatures(name, f"{title} - {frames[0][:8]}", f"{frames[0]}\n{whole}"),
        StoryFeatures(name, f"{title}｜{frames[1][:6]}", f"{whole}\n{frames[1]}"),
        StoryFeatures(name, title, f"{frames[2]}\n{edited}"),
        StoryFeatures(name, other, edited),
    ]


def labelled_pairs(seed: int = 20261122) -> list[tuple[StoryFeatures, StoryFeatures, bool]]:
    """Pairs with whether they report one story: 320 that do, and 320 that do not."""
    rng = random.Random(seed)
    stories = [_tellings(rng, number) for number in range(N_STORIES)]
    same = [(one, other, True) for story in stories for one, other in combinations(story, 2)]
    others: list[tuple[StoryFeatures, StoryFeatures, bool]] = []
    while len(others) < len(same):
        left, right = rng.sample(range(N_STORIES), 2)
        if (left - right) % 2 == 0:  # of one language: the others are easy
            others.append((rng.choice(stories[left]), rng.choice(stories[right]), False))
    return same + others
