"""tools/release.sh, in a copy of the files with the version."""

from __future__ import annotations

import os
import re
import subprocess
import tarfile
from typing import TYPE_CHECKING

import pytest
from support import PROJECT

if TYPE_CHECKING:
    from pathlib import Path

FILES = (
    "include/ADCL.h",
    "python/adcl/_version.py",
    "packaging/debian/changelog",
    "packaging/debian/control",
    "packaging/spack/package.py",
    "packaging/easybuild",
    "docs/scale.md",
    "CHANGELOG.md",
    "tools/common.sh",
    "tools/release.sh",
)
VERSIONED = tuple(
    one for one in FILES if one.startswith(("python", "packaging", "docs", "CH")) and "control" not in one
)


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    for name in ("AUTHOR", "COMMITTER"):
        environment |= {f"GIT_{name}_NAME": "test", f"GIT_{name}_EMAIL": "test@example.org"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def release(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return run(folder, "tools/release.sh", *arguments)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    for name in FILES:
        source, target = PROJECT / name, folder / name
        for file in sorted(source.iterdir()) if source.is_dir() else [source]:
            copy = target / file.name if source.is_dir() else target
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(file.read_bytes())
            copy.chmod(file.stat().st_mode)
    (folder / ".gitignore").write_text("/build/\n", encoding="utf-8")
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "All")):
        assert run(folder, "git", *words).returncode == 0
    return folder


def test_committed_versions_agree() -> None:
    done = release(PROJECT, "check")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", VERSIONED)
def test_another_version_in_one_file_is_an_error(tree: Path, name: str) -> None:
    path = tree / name
    file = min(path.iterdir()) if path.is_dir() else path
    text = file.read_text(encoding="utf-8")
    file.write_text(re.sub(r"\d+\.\d+\.\d+", "9.8.7", text), encoding="utf-8")
    done = release(tree, "check")
    assert done.returncode == 1
    assert str(file.relative_to(tree)) in done.stderr
    assert "9.8.7" in done.stderr or name == "CHANGELOG.md"


def test_set_writes_every_copy_but_not_the_changelog(tree: Path) -> None:
    assert release(tree, "set", "3.1.4").returncode == 0
    assert "CHANGELOG.md has no section '## 3.1.4'; run" in release(tree, "check").stderr
    changelog = tree / "CHANGELOG.md"
    changelog.write_text("# Changes\n\n## 3.1.4\n", encoding="utf-8")
    done = release(tree, "check")
    assert done.returncode == 0, done.stderr
    assert (tree / "packaging/easybuild/ADCL-3.1.4-system.eb").exists()
    assert "adcl.yml@v3.1.4" in (tree / "docs/scale.md").read_text(encoding="utf-8")


def test_set_refuses_what_is_not_a_version(tree: Path) -> None:
    done = release(tree, "set", "3.1")
    assert done.returncode == 1
    assert "'3.1' is not a version; pass three numbers" in done.stderr


def test_tag_archives_the_last_commit_once(tree: Path) -> None:
    (tree / "new").write_text("", encoding="utf-8")
    assert "uncommitted changes" in release(tree, "tag").stderr
    (tree / "new").unlink()
    done = release(tree, "tag")
    assert done.returncode == 0, done.stderr
    version = re.search(r"version (\S+) everywhere", done.stdout)
    assert version is not None
    folder = tree / "build/release"
    with tarfile.open(folder / f"adcl-{version[1]}.tar.gz") as archive:
        assert f"adcl-{version[1]}/include/ADCL.h" in archive.getnames()
    assert run(folder, "sha256sum", "--check", f"adcl-{version[1]}.tar.gz.sha256").returncode == 0
    assert run(tree, "git", "tag").stdout.split() == [f"v{version[1]}"]
    assert f"the tag v{version[1]} exists" in release(tree, "tag").stderr
