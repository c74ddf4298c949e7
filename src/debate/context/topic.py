"""What a topic is about: the words in it that speak of a change or of architecture, and what it names.

Words in English, Chinese and Vietnamese; a topic in another language is understood by the names that stand in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass


def _said(latin: str, other: str) -> re.Pattern[str]:
    """Latin words end where their letters end: Chinese writes its own right beside them."""
    return re.compile(rf"(?<![A-Za-z])(?:{latin})(?![A-Za-z])|{other}", re.I)


_CHANGE = _said(
    r"branch(?:es)?|diffs?|pull.requests?|merge.requests?|PRs?|MRs?|patch(?:es|set)?|rebase|cherry.pick|uncommitted|unstaged"
    r"|(?:this|these|the|my|our|last|latest) (?:changes?|commits?)|nhánh|bản vá|thay đổi này|(?:những|các) thay đổi"
    r"|khác biệt",
    r"分支|差异|差異|变更|變更|改动|改動|补丁|補丁|拉取请求|拉取請求",
)
# Said of a change as often as of anything else.
_PERHAPS_CHANGE = _said(
    r"merg(?:e|es|ed|ing)(?!.?sort)|squash|review(?:s|ed|ing)?|commits?|revert|roll.?back|regressions?"
    r"|hợp nhất|gộp|trộn|xem xét|rà soát|đánh giá|duyệt|hoàn tác",
    r"合并|合併|合入|审查|審查|评审|評審|提交|回滚|回滾|还原|還原",
)
_ARCHITECTURE = _said(
    r"architectur\w*|micro.?services?|monolith\w*|mono.?repo\w*|modular\w*|layer(?:s|ed|ing)?|dependenc(?:y|ies)"
    r"|frameworks?|databases?|schemas?|message (?:queue|broker|bus)\w*|event.driven|event.sourc\w+|infrastructure"
    r"|deploy(?:ment)?s?|(?:tech(?:nology)? )?stack|services?|scal(?:e|ing|ability)"
    r"|(?:folder|directory|project) structure|plugin system|bounded contexts?|boundar(?:y|ies)|rewrit(?:e|ing)"
    r"|migrat(?:e|ion|ing)|packages? (?:layout|structure)|kubernetes|serverless|graphql|grpc"
    r"|kiến trúc|(?:vi )?dịch vụ|nguyên khối|mô.?đun|phụ thuộc|phân tầng|phân lớp|cơ sở dữ liệu|cấu trúc|triển khai"
    r"|hạ tầng|viết lại|nền tảng|di chuyển",
    r"架构|架構|微服务|微服務|单体|單體|模块|模組|依赖|依賴|分层|分層|框架|数据库|數據庫|資料庫|部署|技术栈|技術棧|结构|結構"
    r"|拆分|基础设施|基礎設施|重写|重寫|迁移|遷移|服务|服務",
)

MOST_TERMS = 24
_SPAN = re.compile(r"`([^`\n]{1,200})`")
_PATH = re.compile(r"(?:\.{0,2}/)*[\w@.+~-]+(?:/[\w@.+~-]+)*/?", re.A)
_FILE = re.compile(  # a path, or a name with an ending that only files have: no name of anything in the code
    r"[\w@.+~-]*(?:/[\w@.+~-]+)+/?|[\w@+~-]+\.(?:pyi?|[cm]?[jt]sx?|go|rs|java|kts?|rb|php|[ch]|cc|[ch]pp|cs|swift|scala|sh"
    r"|sql|mdx?|rst|txt|json|ya?ml|toml|ini|cfg|xml|html?|s?css|vue|svelte|lock|proto|gradle|exs?|erl|hs|lua|dart|tf)\b",
    re.A,
)
_NAME = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|->|#)[A-Za-z_$][\w$]*)*(?:\(\))?", re.A)
_CODE_LIKE = re.compile(r"[A-Za-z0-9]_[A-Za-z0-9]|[a-z0-9][A-Z]|\.|::|->|#|\(\)|^_|\$|[A-Za-z]\d")
_WORD = re.compile(r"[^\W\d_]{3,}")
_LATIN = re.compile(r"[A-Za-z]{3,}")
_EVERYDAY = """
a about above after again all also always and any are argue argument ask because been before being better between
both but can cannot code compare could debate decide decision design did different does doing done each either else
even every file files first for from function get give good had has have help here how idea implement implementation
instead into issue its just keep kind know large less let like line lines look made main make many may maybe might
more most much must need never new next not note now off old one only other our out over own part point possible
problem project put question rather really same say see should simple since small some something still such take
than that the their them then there these they thing this those through too two under until use used user uses using
very want was way well were what when where whether which while who why will with within without work works worth
would write wrong yet you your
là và có nên không của cho một các những này đó với trong khi thì hay hoặc được từ vào ra về như dùng sử dụng"""
_COMMON = frozenset(_EVERYDAY.split())


@dataclass(frozen=True)
class Topic:
    text: str
    speaks_of_change: bool
    may_speak_of_change: bool
    speaks_of_architecture: bool
    paths: tuple[str, ...]  # what may be a file's name: it has a slash or an ending
    names: tuple[str, ...]  # what is written as code is: `rate_limit`, `RateLimiter`, `Limiter.take()`
    words: tuple[str, ...]  # all other words that could say which part of the code is meant, in lower case


def read(text: str) -> Topic:
    spans = _SPAN.findall(text)
    paths = [span.strip() for span in spans]
    paths += [found for found in _PATH.findall(text) if "/" in found.strip("/") or "." in found.strip(".")]
    rest = _FILE.sub(" ", text)
    names: list[str] = []
    for found in _NAME.findall(rest):
        if _CODE_LIKE.search(found) or found in spans:
            names += [part for part in re.split(r"\.|::|->|#|\(\)", found) if len(part) > 2]
    words: list[str] = []
    for word in _WORD.findall(rest):
        # A script without spaces runs into the Latin words in it; letters of other scripts are words as they are.
        words += [word] if word.isascii() or not _is_spaceless(word) else _LATIN.findall(word)
    plain = [word.lower() for word in words if word not in names]
    return Topic(
        text=text,
        speaks_of_change=bool(_CHANGE.search(text)),
        may_speak_of_change=bool(_PERHAPS_CHANGE.search(text)),
        speaks_of_architecture=bool(_ARCHITECTURE.search(text)),
        paths=_each_once(path.removeprefix("./").strip("/") for path in paths),
        names=_each_once(names),
        words=_each_once(word for word in plain if word not in _COMMON),
    )


def _each_once(found: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, found)))[:MOST_TERMS]


def _is_spaceless(word: str) -> bool:
    return any("\u2e80" <= c <= "\uffef" or "\u0e00" <= c <= "\u0eff" for c in word)
