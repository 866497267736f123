"""A cluster whose connections are encrypted, as Dask has it: certificates come by its environment variables."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from fleet.cluster_kit import LocalCluster
from fleet.hall import Hall

pytest.importorskip("distributed", reason="the extra 'dask' is not installed")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed"),
]
_TLS = "DASK_DISTRIBUTED__COMM__TLS__"


class TlsCluster(LocalCluster):
    def start_scheduler(self, address: str) -> None:
        super().start_scheduler(address.replace("tcp:", "tls:"))


def certificates(folder: Path) -> dict[str, str]:
    """Make an authority and a certificate; return the variables that name them."""
    folder.mkdir()

    def openssl(*words: str) -> None:
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)

    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    openssl(
        "req", "-x509", *key, "-days", "2", "-subj", "/CN=authority", "-keyout", "ca.key", "-out", "ca.pem"
    )
    openssl("req", *key, "-subj", "/CN=tdd", "-keyout", "key.pem", "-out", "request.pem")
    signed = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2")
    openssl("x509", "-req", "-in", "request.pem", *signed, "-out", "cert.pem")
    roles = ("SCHEDULER", "WORKER", "CLIENT")
    return {
        f"{_TLS}CA_FILE": str(folder / "ca.pem"),
        **{f"{_TLS}{role}__CERT": str(folder / "cert.pem") for role in roles},
        **{f"{_TLS}{role}__KEY": str(folder / "key.pem") for role in roles},
    }


@pytest.fixture
def variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Mapping[str, str]:
    made = certificates(tmp_path / "tls")
    for name, value in made.items():
        monkeypatch.setenv(name, value)
    return made


@pytest.fixture
def cluster(tmp_path: Path, variables: Mapping[str, str]) -> Iterator[TlsCluster]:
    cluster = TlsCluster(tmp_path / "cluster")
    try:
        yield cluster
    finally:
        cluster.close()


def test_a_cycle_and_its_replay_run_over_tls(tmp_path: Path, cluster: TlsCluster) -> None:
    assert cluster.address.startswith("tls://")
    cluster.worker("w1")
    hall = Hall(tmp_path, ["one"], config=f'[fleet]\nscheduler = "{cluster.address}"\n')
    done = hall.tdd("cycle", "run")
    assert done.code == 0, done.out + done.err
    assert hall.tdd("verify", "--on", "cluster").code == 0


def test_without_a_certificate_or_with_one_of_another_authority_nothing_runs_and_the_reason_is_printed(
    tmp_path: Path, cluster: TlsCluster, variables: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hall = Hall(tmp_path, ["one"], config=f'[fleet]\nscheduler = "{cluster.address}"\n')
    for name, value in certificates(tmp_path / "other").items():
        monkeypatch.setenv(name, value)
    for words in (("cycle", "run"), ("worker", cluster.address)):
        done = hall.tdd(*words)
        assert (done.code, "certificate" in done.err) == (4, True), done.err
    monkeypatch.setenv(f"{_TLS}CA_FILE", str(tmp_path / "none.pem"))
    for words in (("cycle", "run"), ("worker", cluster.address)):
        done = hall.tdd(*words)
        assert (done.code, "none.pem" in done.err) == (2, True), done.err
    for name in variables:
        monkeypatch.delenv(name)
    for words in (("cycle", "run"), ("worker", cluster.address)):
        done = hall.tdd(*words)
        assert (done.code, f"{_TLS}CA_FILE" in done.err) == (2, True), done.err
    assert hall.agent_calls() == []
