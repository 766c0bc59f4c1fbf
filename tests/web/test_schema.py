"""The API does what its OpenAPI document says, whatever it is asked."""

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import load_all_checks
from schemathesis.specs.openapi.checks import positive_data_acceptance

from web.serving import Server

load_all_checks()
schema = schemathesis.pytest.from_fixture("described")


@pytest.fixture
def described(server: Server) -> schemathesis.BaseSchema:
    return schemathesis.openapi.from_url(f"{server.url}/openapi.json")


@schema.parametrize()
@settings(
    max_examples=20,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_the_api_does_what_its_document_says(case: schemathesis.Case) -> None:
    # a schema can't say what a tree is, so a string that is none is refused
    case.call_and_validate(excluded_checks=[positive_data_acceptance])


def test_the_document_names_every_route(server: Server) -> None:
    document = server.get("/openapi.json").json()
    assert set(document["paths"]) == {
        "/health",
        "/metrics",
        "/api/models",
        "/api/parse",
        "/api/steps",
        "/api/draw",
        "/api/treebank",
        "/api/compare",
    }
    for path, methods in document["paths"].items():
        for operation in methods.values():
            assert operation["summary"]
            if path.startswith("/api/") and "post" in methods:
                assert {"413", "422", "503", "504"} <= set(operation["responses"])
