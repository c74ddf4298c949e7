"""Programs that only read: whatever they are told, or as long as no other option is given than those here."""

from __future__ import annotations

from debate.guard.shell import names

ALWAYS = names(
    """
    : true false cat tac head tail wc ls dir vdir cut tr nl stat echo pwd basename dirname realpath readlink comm
    paste help join fold expand unexpand fmt pr rev md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum
    cksum sum md5 shasum seq id whoami groups logname uname nproc uptime free df du ps pgrep lscpu lsblk lsof
    which whereis type grep egrep fgrep zgrep zcat bzcat xzcat zegrep zfgrep jq diff cmp colordiff od hexdump hd
    strings column expr sleep locale tput cal numfmt tsort look factor yes printenv tty bc exit return break
    continue times umask caller readelf ncal zipinfo lsb_release sw_vers getconf users who w last
    """
)
# name -> its options, as options.py reads them; what may write or run something is not among them
ALLOWED = {
    "sort": """
        bcCdfghiMmnrRsuVz k: t: S: o: --reverse --unique --numeric-sort --human-numeric-sort --version-sort
        --general-numeric-sort --month-sort --random-sort --ignore-case --dictionary-order --ignore-leading-blanks
        --ignore-nonprinting --stable --zero-terminated --merge --debug --check? --sort= --key= --field-separator=
        --buffer-size= --parallel= --batch-size= --random-source= --files0-from= --output=
        """,
    "tree": """
        aAcCdDfFghiJlnNpqQrsStuUvxX L: P: I: --noreport --dirsfirst --filesfirst --prune --gitignore --du --si
        --inodes --device --matchdirs --ignore-case --metafirst --info --nolinks --sort? --filelimit= --charset=
        --timefmt= --gitfile= --infofile=
        """,
    "file": """
        bchiIkLlnNprsSvzZ0dE f: F: m: e: P: --brief --mime --mime-type --mime-encoding --dereference
        --no-dereference --special-files --keep-going --raw --uncompress --extension --no-pad --print0 --apple
        --list --separator= --exclude= --files-from= --magic-file= --parameter=
        """,
    "fd": """
        HIusigFaplL0q1rA d: t: e: E: S: c: j: o: C: --hidden --no-ignore --no-ignore-vcs --no-ignore-parent
        --unrestricted --case-sensitive --ignore-case --glob --fixed-strings --regex --absolute-path
        --relative-path --list-details --follow --no-follow --full-path --print0 --quiet --prune --one-file-system
        --show-errors --strip-cwd-prefix? --max-depth= --min-depth= --exact-depth= --type= --extension= --exclude=
        --size= --color= --threads= --owner= --max-results= --changed-within= --changed-before= --newer= --older=
        --base-directory= --search-path= --path-separator= --ignore-file= --and= --format=
        """,
    "ag": """
        acDfFgHilLnoprQRsStuUvVwz A? B? C? m: G: --ignore= --hidden --nocolor --color --nogroup --group --filename
        --nofilename --numbers --nonumbers --count --files-with-matches --files-without-matches --literal
        --word-regexp --ignore-case --case-sensitive --smart-case --depth= --max-count= --after? --before?
        --context? --column --heading --noheading --invert-match --only-matching --follow --unrestricted
        --all-text --all-types --silent
        """,
    "less": """
        NSRrFXEeIiMmnsgGcCfqQuUwWJ --no-init --chop-long-lines --LINE-NUMBERS --RAW-CONTROL-CHARS
        --quit-if-one-screen --ignore-case --raw-control-chars --line-numbers --squeeze-blank-lines
        """,
    "more": "cdefplsu # n: --silent --squeeze --plain --lines=",
    "sdiff": """
        abBdEHilstWZ w: --suppress-common-lines --left-column --width= --expand-tabs --ignore-case
        --ignore-all-space --ignore-space-change --ignore-blank-lines --text --minimal
        """,
    "iconv": "cls f: t: --from-code= --to-code= --list --silent",
    "shuf": "erz n: i: --echo --repeat --zero-terminated --head-count= --input-range= --random-source=",
    "bat": """
        AfnpPSsuLV r: l: H: m: --show-all --plain --number --decorations= --diff --list-themes --list-languages
        --no-paging --paging= --color= --italic-text= --style= --theme= --language= --line-range=
        --highlight-line= --file-name= --tabs= --wrap= --terminal-width= --diff-context= --squeeze-blank
        --force-colorization --chop-long-lines --strip-ansi= --nonprintable-notation= --ignored-suffix=
        --unbuffered
        """,
    "base64": "dDi w: b: --decode --ignore-garbage --wrap=",
    "base32": "dDi w: b: --decode --ignore-garbage --wrap=",
    "basenc": "dDi w: b: --decode --ignore-garbage --wrap= --base64 --base64url --base32 --base16 --z85",
    "arch": "",
    "zstdcat": "dfqv",
    "nm": """
        aABCDefglnoPprSuUvX --demangle? --no-demangle --defined-only --dynamic --extern-only --undefined-only
        --numeric-sort --size-sort --print-size --line-numbers
        """,
    "objdump": """
        aCdDfFghlpSrRstTwxz j: M: b: m: --disassemble? --source --syms --headers --all-headers --section=
        --demangle? --no-show-raw-insn --line-numbers --dynamic-syms --private-headers --reloc --file-headers
        --wide
        """,
    "size": "ABdoxt --format= --totals --common",
    "hostname": "fsiIdA",
    "crontab": "l u:",
    "unzip": "lpvtqzC",
    "gzip": """
        cdfkqtv # --stdout --to-stdout --decompress --uncompress --test --list --quiet --verbose --keep --force
        lnNr9 --no-name --name --recursive --fast --best
        """,
    "gunzip": """
        cdfkqtv # --stdout --to-stdout --decompress --uncompress --test --list --quiet --verbose --keep --force
        lnNr
        """,
    "bzip2": """
        cdfkqtv # --stdout --to-stdout --decompress --uncompress --test --list --quiet --verbose --keep --force s
        --small --fast --best
        """,
    "bunzip2": """
        cdfkqtv # --stdout --to-stdout --decompress --uncompress --test --list --quiet --verbose --keep --force s
        --small
        """,
    "xz": """
        cdfkqtv # --stdout --to-stdout --decompress --uncompress --test --list --quiet --verbose --keep --force ez
        l T: --compress --extreme --threads= --info-memory --robot
        """,
    "unxz": """
        cdfkqtv # --stdout --to-stdout --decompress --uncompress --test --list --quiet --verbose --keep --force l
        T:
        """,
    "zstd": "cdfklqtvz # --stdout --decompress --list --test --quiet --verbose --keep --force",
    "man": """
        kfwW s: S: m: M: L: --where --path --location --whatis --apropos --sections= --locale= --manpath=
        """,
    "ss": """
        0246aehHimnoOpstuwxZ --all --listening --numeric --processes --tcp --udp --unix --summary --no-header
        --oneline --extended --options --info --ipv4 --ipv6 l
        """,
    "rg": """
        abcFhHiIlLnNopPqsSuUvVwxz0. A: B: C: d: e: E: f: g: j: m: M: r: t: T: --after-context= --before-context=
        --context= --max-depth= --regexp= --encoding= --file= --glob= --iglob= --threads= --max-count=
        --max-columns= --replace= --type= --type-not= --type-add= --type-clear= --pre-glob= --dfa-size-limit=
        --regex-size-limit= --engine= --ignore-file= --max-filesize= --color= --colors= --context-separator=
        --field-context-separator= --field-match-separator= --hyperlink-format= --path-separator= --sort= --sortr=
        --generate= --text --byte-offset --column --count --count-matches --crlf --debug --files
        --files-with-matches --files-without-match --fixed-strings --follow --glob-case-insensitive --heading
        --hidden --ignore-case --ignore-file-case-insensitive --include-zero --invert-match --json --line-buffered
        --line-number --line-regexp --mmap --multiline --multiline-dotall --null --null-data --one-file-system
        --only-matching --passthru --pcre2 --pcre2-version --pretty --quiet --search-zip --smart-case
        --case-sensitive --sort-files --stats --stop-on-nonmatch --trace --trim --type-list --unrestricted
        --vimgrep --with-filename --no-filename --word-regexp --binary --block-buffered --max-columns-preview
        --auto-hybrid-regex --no-line-number --no-heading --no-ignore --no-ignore-dot --no-ignore-exclude
        --no-ignore-files --no-ignore-global --no-ignore-parent --no-ignore-vcs --no-require-git --no-unicode
        --no-messages --no-config --no-ignore-messages --no-context-separator --no-column --no-hidden --no-follow
        --no-mmap --no-pcre2-unicode
        """,
}
ALLOWED["batcat"], ALLOWED["fdfind"] = ALLOWED["bat"], ALLOWED["fd"]
PACKERS = names("gzip gunzip bzip2 bunzip2 xz unxz zstd")
# Without one of these they write, or change something.
WANTED = {
    "gzip": "-c -l -t --stdout --to-stdout --list --test",
    "gunzip": "-c -l -t --stdout --to-stdout --list --test",
    "bzip2": "-c -t --stdout --test",
    "bunzip2": "-c -t --stdout --test",
    "zstd": "-c -l -t --stdout --list --test",
    "xz": "-c -l -t --stdout --to-stdout --list --test",
    "unxz": "-c -l -t --stdout --to-stdout --list --test",
    "man": "-k -f -w -W --where --path --location --whatis --apropos",
    "crontab": "-l",
    "unzip": "-l -p -v -t",
}
# A program whose only argument is one of these says what it is; to another one it may be a file's name.
VERSIONS = {
    "--version": names(
        """
        R bash bat black bun cargo cc clang clang-format clang-tidy cmake curl deno docker dotnet elixir eslint fd
        g++ gawk gcc gem gh ghc go helm java javac jest julia kotlin kubectl make mypy mysql nim node npm npx
        ocaml perl php pip pip3 pipx pnpm poetry prettier psql python python2 python3 redis-cli rg ruby ruff rustc
        rustup scala sed sh shellcheck sqlite3 swift tar terraform tsc unzip uv wget yarn zig zip zsh
        """
    ),
    "-V": names(
        """
        bat black cargo curl deno fd ghc mypy mysql perl pip pip3 poetry psql python python2 python3 rg ruff rustc
        ssh tmux uv wget
        """
    ),
    "-v": names(
        """
        bun cc clang docker elixir g++ gcc gh lua make node npm npx perl php pnpm redis-cli ruby tsc yarn zip
        """
    ),
    "version": names("cargo docker gh go helm npm pnpm ruff uv"),
    "-version": names("cmake erl java javac kotlin ocaml scala sqlite3 swift"),
}
