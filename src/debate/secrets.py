"""What looks like a key, a token or a password, in a text or by a file's name.

Two ways to know one: by its shape, where the issuer gave it one (`ghp_…`), and by the name that it is assigned to
(`db_password = "…"`). A value that stands for another one (`YOUR_API_KEY`, `${TOKEN}`, `os.environ[…]`) is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class Secret:
    kind: str
    start: int
    end: int


def find(text: str) -> list[Secret]:
    """Every secret in the text, in order; where two overlap they are one."""
    found: list[Secret] = []
    for secret in sorted(_every(text), key=lambda secret: (secret.start, -secret.end)):
        if found and secret.start < found[-1].end:
            last = found[-1]
            found[-1] = Secret(last.kind, last.start, max(last.end, secret.end))
        else:
            found.append(secret)
    return found


def mask(text: str) -> tuple[str, list[str]]:
    """The text without its secrets, and the kind of each. Lines keep their numbers."""
    parts, at, kinds = [], 0, []
    for secret in find(text):
        lines = "\n" * text.count("\n", secret.start, secret.end)
        parts += [text[at : secret.start], f"[{secret.kind} masked]", lines]
        at = secret.end
        kinds.append(secret.kind)
    return "".join([*parts, text[at:]]), kinds


def is_secret_file(path: str) -> bool:
    """Is this file made to hold secrets? Its name alone decides, so that it need not be opened."""
    folders, _, name = path.lower().rpartition("/")
    if _TEMPLATE_FILE.search(name):
        return False
    return bool(_SECRET_FILE.fullmatch(name) or _SECRET_FOLDER.search(f"/{folders}/"))


def secret_files(paths: Sequence[str]) -> list[str]:
    """Those of very many files that are made for secrets. Few have to be looked at closely."""
    text = "\0".join(paths).lower()
    lower = text.split("\0")
    likely = [path for path, low in zip(paths, lower, strict=False) if low[-4:] in _TAILS]
    if parts := [part for part in _PARTS if part in text]:
        likely += [
            path for path, low in zip(paths, lower, strict=False) if any(part in low for part in parts)
        ]
    return sorted({path for path in likely if is_secret_file(path)})


# What is_secret_file knows ends so, or has such a part.
_TAILS = frozenset({
    ".env", "nvrc", "_rsa", "_dsa", "cdsa", "5519", ".pem", ".key", ".p12", ".pfx", ".jks", "tore", "kdbx", ".ppk",
    ".gpg", "tate", "vars", "nfig", "tial", "ials", "cret", "rets", "etrc", "pmrc", "pirc", "pass", "sswd", "kcfg",
    "oken",
})  # fmt: skip
_PARTS = (".env.", "secret", "credential", "account", ".aws/", ".ssh/", ".gnupg/", ".kube/", ".docker/")
_SECRET_FILE = re.compile(
    r"\.env(\..+)?|.+\.env|\.envrc|(.+[._-])?id_(rsa|dsa|ecdsa|ed25519)"
    r"|.+\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk|gpg|tfstate|tfvars|kubeconfig)"
    r"|(.+[._-])?(credentials?|secrets?)(\.(ya?ml|json|toml|ini|cfg|conf|properties|txt|xml|enc|csv))?"
    r"|[._]?netrc|\.npmrc|\.pypirc|\.pgpass|\.htpasswd|\.dockercfg|\.git-credentials|\.vault-token|kubeconfig"
    r"|.*service[-_]account.*\.json"
)
_SECRET_FOLDER = re.compile(r"/\.(aws|ssh|gnupg|kube|docker)/")
_TEMPLATE_FILE = re.compile(r"\.(example|sample|template|tmpl|dist|defaults?|schema|pub)(\.\w+)?$")


class _Pattern(NamedTuple):
    kind: str
    starts: tuple[
        str, ...
    ]  # how it begins, in lower case: looked for first, which is much faster than any pattern
    pattern: str  # compiled when something begins so: most texts hold none of them
    flags: re.RegexFlag
    is_secret: Callable[[re.Match[str]], bool]


def _every(text: str) -> Iterator[Secret]:
    lower = text.lower()
    if len(lower) != len(text):  # some capitals have small letters that are longer
        lower = text.translate(_SMALL)
    for kind, starts, pattern, flags, is_secret in _PATTERNS:
        for start in starts:
            at = lower.find(start)
            while at >= 0:
                match = re.compile(pattern, flags).match(text, at)
                at += len(start)
                if match and is_secret(match):
                    yield Secret(kind, *match.span("value"))
                    at = match.end("value")
                at = lower.find(start, at)


_SMALL = {capital: capital + 32 for capital in range(ord("A"), ord("Z") + 1)}


def _assigned(match: re.Match[str]) -> bool:
    value, tail = match["value"], match["tail"]
    if tail.endswith(("Id", "ID")) or _OTHER_THING.search(tail.lower()) or _stands_for_another(value):
        return False
    if not match["quote"] and _ATTRIBUTE.fullmatch(value):
        return False
    name, mixed = match["word"].lower(), _has_letter_and_digit(value)
    if _is_random(value) or (name == "secret" and len(value) >= 8 and mixed and "/" not in value):
        return True
    if not name.startswith(("pass", "pwd")):
        return False
    shouts = match["word"].isupper()  # DB_PASSWORD: configuration, not a label or a variable
    if match["quote"]:
        # `"password": "Passwort"` is a translation; one that is set with `=`, or is no word, is not.
        return "=" in match["sign"] or shouts or not value.isalpha()
    return (shouts and match["sign"] == "=") or mixed


def _mixed(match: re.Match[str]) -> bool:
    return _has_letter_and_digit(match["value"]) and not _stands_for_another(match["value"])


def _random(match: re.Match[str]) -> bool:
    return _is_random(match["value"]) and not _stands_for_another(match["value"])


def _logged_in(match: re.Match[str]) -> bool:
    return match["value"] != match["user"] and not _stands_for_another(match["value"])


def _shape(kind: str, starts: str, pattern: str) -> _Pattern:
    """A shape that its issuer chose so that it can be found."""
    return _Pattern(
        kind, tuple(starts.split()), f"(?P<value>{pattern})", re.A, lambda match: not _is_filler(match[0])
    )


def _by_name(kind: str, starts: str, pattern: str, is_secret: Callable[[re.Match[str]], bool]) -> _Pattern:
    """A value that is secret because of what stands before it."""
    return _Pattern(kind, tuple(starts.split()), pattern, re.I | re.M, is_secret)


# A key is one of these, not a primary key or that of a map.
_KEYS = (
    "api",
    "access",
    "account",
    "private",
    "auth",
    "encryption",
    "signing",
    "shared",
    "service",
    "master",
)
_KEY = "|".join(f"(?<={name})key|(?<={name}[_-])key" for name in _KEYS)
_PATTERNS = (
    _shape(
        "private key",
        "-----begin",
        # whole or cut off; a program that only names the first line has a quote mark after it
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?=(?:\s|\\[nr]|[+> -])*[\w+/=:]{6})"
        r"[\s\S]*?(?:-----END [A-Z0-9 ]{4,60}-----|\Z)",
    ),
    _shape("private key", "age-secret-key-1", r"AGE-SECRET-KEY-1[0-9A-Z]{20,}"),
    _shape("AWS key", "akia asia", r"(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    _shape("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{30,255}"),
    _shape("GitHub token", "github_pat_", r"github_pat_\w{22,255}"),
    _shape("GitLab token", "glpat- glptt- gldt- glrt- glcbt-", r"gl(?:pat|ptt|dt|rt|cbt)-[\w.-]{18,300}"),
    _shape("Slack token", "xox xapp-", r"(?:xox[abceoprs]|xapp)-[\w-]{10,300}"),
    _shape("Slack address", "https://hooks.slack", r"https://hooks\.slack\.com/services/[\w/]{20,200}"),
    _shape("Stripe key", "sk_live_ sk_test_ rk_live_ rk_test_", r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,255}"),
    _shape("Stripe key", "whsec_", r"whsec_[A-Za-z0-9+/]{24,255}"),
    _shape("Google key", "aiza", r"AIza[\w-]{35}"),
    _shape("Google token", "ya29. gocspx-", r"(?:ya29\.|GOCSPX-)[\w-]{20,500}"),
    _shape("Anthropic key", "sk-ant-", r"sk-ant-[\w-]{20,300}"),
    _shape("API key", "sk-", r"(?<![\w-])sk-(?!ant-)(?=[\w-]*\d)(?=[\w-]*[A-Z])[\w-]{20,300}"),
    _shape("JSON Web Token", "eyj", r"(?<![\w-])eyJ[\w-]{8,4000}\.eyJ[\w-]{8,8000}\.[\w-]{8,2000}"),
    _shape("npm token", "npm_", r"(?<!\w)npm_[A-Za-z0-9]{36}"),
    _shape("PyPI token", "pypi-age", r"pypi-AgE[\w-]{50,500}"),
    _shape("SendGrid key", "sg.", r"(?<!\w)SG\.[\w-]{16,40}\.[\w-]{16,64}"),
    _shape("Hugging Face token", "hf_", r"(?<!\w)hf_[A-Za-z0-9]{30,60}"),
    _shape("DigitalOcean token", "dop_v1_ doo_v1_ dor_v1_", r"do[opr]_v1_[0-9a-f]{64}"),
    _shape("Shopify token", "shpat_ shpca_ shppa_ shpss_", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    _shape("Vault token", "hvs.", r"(?<!\w)hvs\.[\w-]{24,300}"),
    _shape("Telegram token", ":aa", r"(?<=\d{8}):AA[\w-]{33}(?![\w-])"),
    _shape("Atlassian token", "atatt3", r"ATATT3[\w=-]{50,400}"),
    _by_name(
        "password or key",
        "password passwd passphrase pwd secret token credential key",
        rf"(?P<word>password|passwd|passphrase|pwd|secret|token|credentials?|{_KEY})(?P<tail>[\w.-]{{0,40}})[\"'`\]]{{0,2}}"
        r"(?:[ \t]{0,4}:[ \t]{0,4}[\w\[\]|.]{1,30}(?=[ \t]{0,4}=))?"  # an annotation: `token: str = …`
        r"(?P<sign>[ \t]{0,12}(?:=>|:=|={1,3}|:)[ \t]{0,12})(?:[bru]{0,2}(?P<quote>[\"'`]))?"
        r"(?P<value>(?(quote)[^\"'`\s]{4,500}|[^\s\"'`,;(){}\[\]<>|&]{6,500}))(?(quote)(?P=quote)|(?=\s|$|[#;,\\]))",
        _assigned,
    ),
    _by_name(
        "password or key",
        "--pass --token --secret --api",
        r"--(?:password|passwd|passphrase|token|secret|api-?key)[ \t]+[\"']?(?P<value>[^\s\"'`<>$-][^\s\"'`<>]{5,300})",
        _mixed,
    ),
    _by_name(
        "password or key", "password> secret> apikey> api-key>", r"[a-z-]+>(?P<value>[^<\s]{4,300})</", _mixed
    ),
    _by_name(
        "token", "bearer basic", r"(?:bearer|basic)[ \t]{1,4}(?P<value>[a-z0-9._~+/-]{16,2000}=*)", _random
    ),
    _by_name(
        "password in an address",
        "://",
        r"://(?P<user>[^\s/:@\"'<>]{0,100}):(?P<value>[^\s/@\"'<>]{3,200})@[\w.\[-]",
        _logged_in,
    ),
    _by_name("token in an address", "://", r"://(?P<value>[\w.~-]{16,300})@[\w.\[-]", _random),
)

# What a name is about when its last part says so: `token_url`, `passwordHash`, `secret-name`, `tokenizer_config`.
_OTHER_THING = re.compile(
    r"(?:url|uri|endpoint|type|name|path|file|field|[_.-]id|hash|digest|count|limit|length|len|size|ttl|expir\w*|header"
    r"|prefix|suffix|param\w*|label|regex|pattern|placeholder|hint|title|text|message|error|policy|arn|ref|iz\w+|provider"
    r"|manager|store|class|version|algorithm|format|scope|issuer|audience|index|kind|mode|column|input|required|enabled"
    r"|strategy|validator|budget)s?$"
)
_REFERENCE = re.compile(
    r"[$%<@&*!]|env[:.]|vault:|arn:|op://|sha\d+[-:]|sm://|ssm:|https?://[^@]*$"
    r"|(?:process|os|sys|settings|config|secrets)\.",
    re.I,
)
_FILE_PATH = re.compile(
    r"(?:~|\.{0,2})/[\w.@/-]*|[\w.@/-]*\.(?:json|ya?ml|toml|txt|pem|key|env|py|js|ts|go|rs|md)"
)
_ATTRIBUTE = re.compile(r"[A-Za-z_]+\d{0,2}(?:\.[A-Za-z_]+\d{0,2})+")
_ALGORITHM = re.compile(r"(?:sha|md|aes|utf|base|int|argon|bcrypt|scrypt|pbkdf|hs|rs|es)-?\d+\w{0,4}", re.I)
_FILLER = re.compile(r"x{4}|\*{3}|\.{3}|…", re.I)
_FOR_SHOW = re.compile(
    r"(?<![a-z])example(?![a-z])|placeholder|change.?me|redacted|masked|dummy|your[_-]", re.I
)
_STAND_IN = re.compile(
    "a|abc|access|admin|an|api|app|auth|aws|bar|baz|client|code|credentials?|db|default|demo|enter|env|fake|foo|for|github"
    "|guest|header|here|hidden|id|in|insert|invalid|is|key|login|me|mock|my|new|no|none|null|of|old|optional|pass"
    "|passphrase|passwd|password|postgres|private|public|put|pwd|qwerty|refresh|replace|required|root|sample|secret"
    "|session|set|some|str|string|test|testing|the|this|to|todo|token|true|false|undefined|unknown|user|username|valid"
    "|value|with|wrong|your",
    re.I,
)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def _is_filler(value: str) -> bool:
    return len(set(value[4:] if len(value) > 12 else value)) <= 3 or bool(_FILLER.search(value))


def _stands_for_another(value: str) -> bool:
    """A reference, a template, a path, or words such as people write where a secret will go."""
    if _REFERENCE.match(value) or _is_filler(value) or _FOR_SHOW.search(value):
        return True
    if _FILE_PATH.fullmatch(value) or _ALGORITHM.fullmatch(value) or value in "01234567890123456789":
        return True
    if ("{" in value and "}" in value) or any(sign in value for sign in ("%(", "<", "(", "|")):
        return True
    words = _WORD.findall(value)
    return bool(words) and not any(c.isdigit() for c in value) and all(map(_STAND_IN.fullmatch, words))


def _is_random(value: str) -> bool:
    """Long, and with a part that is no word: letters and digits mixed, as no one would write by hand."""
    if len(value) < 16 or len(set(value)) < 8 or not value.isascii():
        return False
    return any(
        len(part) >= 8
        and _has_letter_and_digit(part)
        and ("/" not in part or not (part.islower() or part.isupper()))
        for part in re.split(r"[-_.:~]", value)
    )


def _has_letter_and_digit(value: str) -> bool:
    return any(c.isalpha() for c in value) and any(c.isdigit() for c in value)
