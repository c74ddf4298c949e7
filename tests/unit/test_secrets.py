"""What looks like a key is found and masked; what only stands where one would be is left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from debate.secrets import find, is_secret_file, mask, secret_files

# Put together here, so that no scanner takes this file for a leak.
BODY = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
HEX = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b"
PEM = "-----BEGIN {0}PRIVATE KEY-----\nMIIEpAIBAAKCAQEA\nq83vEjRWeJASNFZ4kBI0\n-----END {0}PRIVATE KEY-----"

# kind, the text before, the secret, the text after
SECRETS = [
    ("AWS key", "id ", "AKIA" + "IOSFODNN7EXAMPLE", " end"),
    ("AWS key", "", "ASIA" + "Q3EGRZ7TLWPX5KCD", ""),
    ("GitHub token", "push with ", "ghp_" + BODY, "."),
    ("GitHub token", "GH: ", "github_pat_" + "11ABCDEFG0" + BODY, ""),
    ("GitLab token", "", "glpat-" + BODY[:20], ""),
    ("Slack token", "", "xoxb-" + "123456789012-" + BODY[:24], ""),
    ("Slack address", "see ", "https://hooks.slack.com/services/" + "T00000001/B00000001/" + BODY[:24], ""),
    ("Stripe key", "", "sk_live_" + BODY[:24], ""),
    ("Stripe key", "", "rk_test_" + BODY[:24], ""),
    ("Google key", "", "AIza" + "SyA-" + BODY[:31], ""),
    ("Google token", "", "ya29." + BODY, ""),
    ("Anthropic key", "", "sk-ant-" + "api03-" + BODY, ""),
    ("API key", "", "sk-" + "proj-" + BODY, ""),
    ("API key", "", "sk-" + BODY, ""),
    ("JSON Web Token", "cookie=", "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0In0." + BODY, "; path=/"),
    ("npm token", "", "npm_" + BODY, ""),
    ("PyPI token", "", "pypi-" + "AgEIcHlwaS5vcmc" + BODY * 2, ""),
    ("SendGrid key", "", "SG." + BODY[:22] + "." + BODY, ""),
    ("Hugging Face token", "", "hf_" + BODY, ""),
    ("DigitalOcean token", "", "dop_v1_" + "0f" * 5 + "9a7c" * 13 + "de", ""),
    ("Shopify token", "", "shpat_" + HEX[:32], ""),
    ("Vault token", "", "hvs." + BODY, ""),
    ("Telegram token", "bot 123456789", ":AA" + BODY[:33], ""),
    ("private key", "key:\n", PEM.format(""), "\nmore"),
    ("private key", "", PEM.format("RSA "), ""),
    ("private key", "", PEM.format("OPENSSH ").replace("\n", "\n+"), "\n+rest"),
    ("private key", '{"k": "', PEM.format("").replace("\n", "\\n"), '\\n"}'),
    ("private key", "", PEM.format("EC ").partition("-----END")[0], ""),
    ("password or key", 'password = "', "hunter2", '"'),
    ("password or key", 'password = "', "swordfish", '"'),
    ("password or key", "DB_PASSWORD=", "swordfish", "\n"),
    ("password or key", "export PGPASSWORD=", "hunter22", ""),
    ("password or key", "  password: ", "hunter2", "\n"),
    ("password or key", '"password": "', "hunter2!", '",'),
    ("password or key", "'smtp_passwd' => '", "s3cr3t", "',"),
    ("password or key", 'password: str = "', "swordfish", '"'),
    ("password or key", 'const dbPassword: string = "', "swordfish", '"'),
    ("password or key", 'if password == "', "swordfish", '":'),
    ("password or key", "Set password: ", "hunter2", " on staging"),
    ("password or key", 'config["password"] = "', "swordfish", '"'),
    ("password or key", 'pwd = "', "84629173", '"'),
    ("password or key", "passphrase = '", "correct-horse-battery", "'"),
    ("password or key", "API_KEY=", BODY[:16], ""),
    ("password or key", 'apiKey: "', BODY, '"'),
    ("password or key", 'api_key = b"', BODY, '"'),
    ("password or key", 'auth_token := "', HEX, '"'),
    ("password or key", 'secret = "', "s3cr3tvalue", '"'),
    ("password or key", 'SECRET_KEY = "', "django-insecure-" + BODY, '"'),
    ("password or key", 'aws_secret_access_key = "', "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", '"'),
    ("password or key", "AccountName=x;AccountKey=", BODY + "+/" + BODY + "==", ";Suffix=y"),
    ("password or key", 'HEROKU_API_KEY: "', "123e4567-e89b-12d3-a456-426614174000", '"'),
    ("password or key", "mysql --password ", "hunter2", " -h db"),
    ("password or key", "curl --token=", BODY, " x"),
    ("password or key", "<password>", "hunter2", "</password>"),
    ("token", "Authorization: Bearer ", BODY, ""),
    ("token", '"Authorization": "Basic ', "dXNlcjpodW50ZXIyMg==", '"'),
    ("password in an address", "postgres://app:", "hunter2", "@db.internal:5432/app"),
    ("password in an address", "redis://:", "swordfish", "@cache:6379"),
    ("token in an address", "https://", BODY, "@git.internal/x.git"),
]

HARMLESS = [
    "",
    "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
    "index 1a2b3c4..5d6e7f8 100644",
    'id = "123e4567-e89b-12d3-a456-426614174000"',
    'checksum = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"',
    '"integrity": "sha512-K0Nx5qc2w0yAYz0JW5aVJbHuh4o1X7sXnSXDZbBJpHNqJ8vY7fOaL9l2PZbXkqGgnvVn6Y8lCqfOZ1U2Jr0d8w=="',
    'hash = "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"',
    "golang.org/x/oauth2 v0.4.0 h1:NF0gk8LVPg1Ml7SSbGyySuoxdsXitj7TvgvuRxIMc/M=",
    '"js-tokens": "^4.0.0"',
    '"node_modules/csrf-token": {',
    'password = os.environ["DB_PASSWORD"]',
    'password = os.environ.get("PASSWORD2")',
    "password = process.env.DB_PASSWORD1",
    "password = settings.DB_PASSWORD1",
    "password=request.form.password2,",
    "password = getpass(prompt1)",
    "password: string;",
    "password: str = Field(min_length=8)",
    "  password: 'required|min:8',",
    'password = "changeme"',
    'password = "password"',
    'password = ""',
    'password = "********"',
    'password = "xxxxxxxxxx1"',
    'password = "<your password>"',
    "password = '${DB_PASSWORD}'",
    "DB_PASSWORD=$DB_PASSWORD",
    "DB_PASSWORD=${{ secrets.DB_PASSWORD }}",
    "DB_PASSWORD=%(db_password1)s",
    'password = f"{user}-{salt1}"',
    'password = "{{ vault_db_password1 }}"',
    'password_file = "/run/secrets/db2"',
    'password: "/run/secrets/db2"',
    'password_hash = "pbkdf2x9f86d081884c7d65"',
    'PASSWORD_HASHER = "argon2id"',
    'password = "sha256"',
    '"password": "Passwort"',
    '"password": "Contraseña"',
    '"password": "密码"',
    'forgot_password: "Quên mật khẩu?"',
    '<input type="password" name="password2" id="x1234567">',
    'API_KEY = "YOUR_API_KEY"',
    "api_key: your-api-key-goes-here-1234",
    'api_key = "example-key-1234567890abcdef"',
    "OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxx",
    "token = ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "token = next(tokens)",
    'token = "identifier"',
    "max_tokens = 4096",
    'tokenizer = "bert-base-uncased-2024v1x9"',
    'token_url = "https://auth.internal/oauth2/token1234"',
    'TOKEN_ENDPOINT = "https://auth.internal/v1/0123456789abcdef"',
    'next_page_token_id = "0123456789abcdef01"',
    'secretName: "app-db-credentials-v2x12345678"',
    'secret = "kv/data/prod2/database-main"',
    'secret_ref: "arn:aws:secretsmanager:eu-west-1:123456789012:secret:db-A1b2C3"',
    "class='sk-folding-cube-animation-large'",
    'pem.replace("-----BEGIN PRIVATE KEY-----", "").replace("-----END PRIVATE KEY-----", "")',
    PEM.format("").replace("PRIVATE", "PUBLIC"),
    "https://example.com/a?b=c:d@e",
    "git@github.com:owner/project.git",
    "postgres://postgres:postgres@localhost/app",
    "postgres://user:password@localhost/app",
    "postgres://app:${PASSWORD1}@db/app",
    "see http://localhost:3000/users/@me",
    "Basic understanding-of-the-design is assumed",
    "mysql --password $PASSWORD1",
    "git log --token-count 12",
    "PWD=/home/user2/project",
    "def find_password(user1): ...",
    "keyboard: qwerty1234567890abcd",
    'primary_key = "users_2024_01_id_seq12345"',
    "eyJ is how such tokens begin",
]


@pytest.mark.parametrize(("kind", "before", "secret", "after"), SECRETS, ids=lambda value: str(value)[:24])
def test_a_secret_is_found_to_the_letter_and_masked(kind, before, secret, after):
    text = before + secret + after
    assert [(found.kind, text[found.start : found.end]) for found in find(text)] == [(kind, secret)]
    lines = "\n" * secret.count("\n")
    assert mask(text) == (f"{before}[{kind} masked]{lines}{after}", [kind])


@pytest.mark.parametrize("text", HARMLESS, ids=lambda text: text[:40])
def test_what_is_no_secret_is_left_as_it_is(text):
    assert find(text) == []
    assert mask(text) == (text, [])


@pytest.mark.parametrize(
    "path",
    [".env", "api/.env.production", "prod.env", ".envrc", "id_rsa", "my_id_rsa", "keys/id_ed25519", "a.pem", "b/c.key",
     "release.p12", "app.jks", "credentials", "credentials.json", "config/secrets.yml", "prod.secrets.yaml", ".netrc",
     ".npmrc", ".pypirc", ".pgpass", ".git-credentials", ".htpasswd", "terraform.tfstate", "live.tfvars",
     "gcp-service-account.json", ".aws/config", ".ssh/known_hosts", "home/.kube/config", "CONFIG/Secrets.YAML"],
)  # fmt: skip
def test_a_file_made_for_secrets_is_known_by_its_name(path):
    assert is_secret_file(path)
    assert secret_files(["a.py", path, "z/secrets.py"]) == [path], "in a long list it would be overlooked"


@pytest.mark.parametrize(
    "path",
    ["env.py", ".env.example", ".env.sample", "src/environment.ts", "id_rsa.pub", "secrets.py", "src/secrets/mod.rs",
     "credentials_test.go", "keyboard.md", "docs/secret-santa.md", "token.ts", "monkey.json", "a.keys", "package.json",
     "config/database.yml", "secrets.schema.json"],
)  # fmt: skip
def test_an_ordinary_file_is_not(path):
    assert not is_secret_file(path)
    assert secret_files([path]) == []


LEAKS = {before + secret + after: secret for _, before, secret, after in SECRETS}
PIECES = st.sampled_from([*LEAKS, *HARMLESS])
NOISE = st.text(alphabet=st.sampled_from("ab1 \n\"'=:/@-_.{}[]<>$"), max_size=12)


@given(st.lists(PIECES | NOISE, max_size=8))
def test_masking_keeps_the_lines_and_leaves_nothing_to_mask(pieces):
    text = "\n".join(pieces)
    masked, _ = mask(text)
    assert masked.count("\n") == text.count("\n")
    assert mask(masked) == (masked, [])
    for secret in (LEAKS[piece] for piece in pieces if piece in LEAKS):
        assert secret not in masked or any(secret in harmless for harmless in HARMLESS)


def test_a_long_text_is_searched_in_time_that_grows_with_its_length():
    import time

    def seconds(text):
        begin = time.process_time()
        find(text)
        return time.process_time() - begin

    for part in (
        "password ",
        "token.",
        "-----BEGIN PRIVATE KEY-----\n",
        "a" * 50 + "://",
        "eyJ",
        "secret_key=",
        "sk-a",
    ):
        short = min(seconds(part * (20_000 // len(part))) for _ in range(3))
        long = min(seconds(part * (200_000 // len(part))) for _ in range(2))
        assert long < 40 * short + 0.05, part
