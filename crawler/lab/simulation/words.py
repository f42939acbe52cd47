"""The words a simulated web is written in: eight subjects, in English and Chinese."""

import random
from functools import cache
from importlib.resources import files
from typing import Final

#: The subject that is watched for; the one after it is its neighbour and shares words with it.
TOPIC: Final = 0

#: Names of the subjects, for titles of sections.
NAMES: Final = {
    "en": (
        *("solar power", "wind power", "coffee", "chess", "running", "gardening"),
        *("astronomy", "sailing"),
    ),
    "zh": ("太阳能发电", "风力发电", "咖啡", "国际象棋", "跑步", "园艺", "天文", "帆船"),
}

_ENGLISH: Final = (
    "solar photovoltaic panel inverter rooftop silicon perovskite module irradiance sunlight"
    " tandem wafer feed-in tracker bifacial glass encapsulant array kilowatt grid energy storage"
    " battery electricity cell efficiency megawatt azimuth tilt shading",
    "wind turbine rotor blade nacelle offshore tower gust anemometer gearbox pitch yaw hub wake"
    " cut-in foundation monopile kilowatt grid energy storage battery electricity farm megawatt"
    " coastline steel bearing lidar breeze",
    "coffee espresso roast grinder arabica robusta crema barista filter kettle aroma bean brew"
    " portafilter tamper milk foam cupping acidity washed natural harvest origin tasting dose"
    " extraction burr sack caffeine cup",
    "chess opening endgame pawn bishop knight rook queen king castling gambit sicilian tactic"
    " checkmate zugzwang tournament grandmaster blitz rating arbiter defence sacrifice fork pin"
    " board clock variation draw exchange square",
    "running marathon pace interval tempo cadence stride trail sneaker hydration taper recovery"
    " heartbeat threshold sprint kilometre race finisher warmup stretching hill jog mileage split"
    " medal injury ankle coach lap trainer",
    "garden soil compost seedling tomato pruning mulch perennial rose lavender greenhouse trowel"
    " watering bulb hedge lawn orchard weed slug fertiliser bloom planting shade root pot herb"
    " cutting frost bed trellis",
    "telescope galaxy nebula comet eclipse planet orbit asteroid star supernova lens aperture"
    " eyepiece mount crater moon meteor spectrum redshift observatory constellation cluster"
    " parallax dwarf pulsar corona transit magnitude zenith dust",
    "sailing yacht mast keel rudder jib spinnaker harbour anchor regatta tack gybe halyard hull"
    " skipper crew buoy tide knot mooring winch cleat boom leeward windward dinghy lighthouse"
    " chart sheet deck",
)
_CHINESE: Final = (
    "太阳能 光伏 组件 逆变器 屋顶 硅片 钙钛矿 电池片 辐照 阳光 叠层 双面 玻璃 胶膜 方阵 千瓦 电网"
    " 能源 储能 电池 电量 发电 效率 兆瓦 方位角 倾角 遮挡 支架 并网 日照",
    "风力 风机 转子 叶片 机舱 海上 塔筒 阵风 风速仪 齿轮箱 变桨 偏航 轮毂 尾流 切入 基础 单桩 千瓦"
    " 电网 能源 储能 电池 电量 发电 风场 兆瓦 海岸 轴承 雷达 微风",
    "咖啡 浓缩 烘焙 磨豆机 阿拉比卡 罗布斯塔 油脂 咖啡师 滤纸 手冲壶 香气 豆子 冲煮 手柄 压粉 牛奶"
    " 奶泡 杯测 酸度 水洗 日晒 采收 产地 品鉴 粉量 萃取 刀盘 麻袋 咖啡因 杯子",
    "国际象棋 开局 残局 兵 象 马 车 后 王 易位 弃兵 西西里 战术 将死 楚茨文克 比赛 特级大师 快棋"
    " 等级分 裁判 防御 弃子 捉双 牵制 棋盘 棋钟 变例 和棋 兑子 格子",
    "跑步 马拉松 配速 间歇 节奏 步频 步幅 越野 跑鞋 补水 减量 恢复 心率 阈值 冲刺 公里 赛事 完赛"
    " 热身 拉伸 坡道 慢跑 跑量 分段 奖牌 伤病 脚踝 教练 圈数 训练",
    "园艺 土壤 堆肥 幼苗 番茄 修剪 覆盖 宿根 玫瑰 薰衣草 温室 铲子 浇水 球根 树篱 草坪 果园 杂草"
    " 蛞蝓 肥料 花期 种植 阴地 根系 花盆 香草 扦插 霜冻 苗床 花架",
    "望远镜 星系 星云 彗星 日食 行星 轨道 小行星 恒星 超新星 镜片 口径 目镜 赤道仪 陨石坑 月球 流星"
    " 光谱 红移 天文台 星座 星团 视差 矮星 脉冲星 日冕 凌日 星等 天顶 尘埃",
    "帆船 游艇 桅杆 龙骨 船舵 前帆 球帆 港口 锚 帆赛 迎风 顺风 升降索 船体 船长 船员 浮标 潮汐 航速"
    " 系泊 绞盘 羊角 横杆 下风 上风 小艇 灯塔 海图 缭绳 甲板",
)
#: Words of each subject, by language.
SUBJECTS: Final = {
    "en": tuple(tuple(words.split()) for words in _ENGLISH),
    "zh": tuple(tuple(words.split()) for words in _CHINESE),
}

#: Words that any page is full of.
LITTLE: Final = {
    "en": tuple(
        "the of and to in is that it for was on with as at by from this are be have not or but"
        " they which you one all were when there can an their more will would about".split()
    ),
    "zh": tuple(
        "的 了 在 是 和 有 也 就 都 这 我们 可以 一个 但是 因为 所以 已经 还是 对 与 及 而 他们"
        " 这些 那么 如果 或者 以及 更 很".split()
    ),
}
#: Words of no subject.
GENERAL: Final = {
    "en": tuple(
        "year week people report company city plan market price team question result change work"
        " home study group project number place problem idea reason visitor photo story start"
        " method season cost quality test summer winter morning friend book record village road"
        " school office member budget partner design region detail interest future opinion".split()
    ),
    "zh": tuple(
        "今年 本周 人们 报告 公司 城市 计划 市场 价格 团队 问题 结果 变化 工作 家庭 研究 小组 项目"
        " 数量 地点 难题 想法 原因 游客 照片 故事 开始 方法 季节 成本 质量 测试 夏天 冬天 早晨 朋友"
        " 书籍 记录 村庄 道路 学校 办公室 成员 预算 伙伴 设计 地区 细节 兴趣 未来 意见".split()
    ),
}

#: First parts of the names of sites.
SITE_WORDS: Final = tuple(
    "amber birch cedar delta ember fjord grove haven inlet jade kestrel lumen maple north ochre"
    " pebble quartz river sable tundra umber vista willow yarrow zephyr alder basil cobalt dune"
    " elm".split()
)
SITE_ENDS: Final = tuple(
    "daily journal notes post field works review lab weekly view log times".split()
)

#: Other words of a language, beside `GENERAL`: the mass that no two pages share much of.
N_OTHER: Final = 3_000
_SYLLABLES: Final = "ba do ke li mu na po ri su ta ve zo cha fen gor hin jal kor pel tam".split()
#: How often a Chinese word stands in the dictionary's sources, to be neither rare nor little.
_LEAST_USE, _MOST_USE = 300, 3_000


@cache
def other_words(language: str) -> tuple[str, ...]:
    """Words of no subject: of jieba's dictionary in Chinese, made of syllables in English."""
    rng = random.Random(language)
    if language == "en":
        made = {"".join(rng.choices(_SYLLABLES, k=3)) for _ in range(2 * N_OTHER)}
        return tuple(sorted(made)[:N_OTHER])
    taken = {word for words in SUBJECTS["zh"] for word in words}
    lines = (files("jieba") / "dict.txt").read_text("utf-8").splitlines()
    rows = [line.split(" ") for line in lines]
    words = [
        row[0]
        for row in rows
        if len(row[0]) == 2 and _LEAST_USE <= int(row[1]) <= _MOST_USE and row[0] not in taken
    ]
    return tuple(rng.sample(words, min(N_OTHER, len(words))))
