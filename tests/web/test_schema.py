"""The API does what its OpenAPI document says, whatever it is asked."""

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.checks import load_all_checks
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import positive_data_acceptance

from web.serving import Server

ROUTES = {
    "GET /health",
    "GET /metrics",
    "GET /api/models",
    "POST /api/parse",
    "POST /api/steps",
    "POST /api/draw",
    "POST /api/treebank",
    "POST /api/compare",
}

TREES = [  # of the same words, so that any two can be compared
    "(ROOT (S (NP (A 0=a)) (B 1=b) (C 2=c)))",
    "(ROOT (S (VP (A 0=a) (C 2=c)) (NP (B 1=b))))",
    "(ROOT (S (VP (A 0=a) (B 1=b)) (NP (C 2=c))))",
    "(ROOT (VP (A 0=a) (B 1=b) (C 2=c)))",
]
# a string of random characters is hardly ever a tree
schemathesis.openapi.format("discbracket", st.sampled_from(TREES))


def test_the_document_names_every_route(server: Server) -> None:
    paths = server.get("/openapi.json").json()["paths"]
    assert {f"{method.upper()} {path}" for path, methods in paths.items() for method in methods} == ROUTES
    for methods in paths.values():
        for method, operation in methods.items():
            assert operation["summary"]
            if method == "post":
                assert {"413", "422", "503", "504"} <= set(operation["responses"])


@pytest.mark.parametrize("mode", GenerationMode)
@pytest.mark.parametrize("route", sorted(ROUTES))
def test_the_api_does_what_its_document_says(server: Server, route: str, mode: GenerationMode) -> None:
    load_all_checks()
    schema = schemathesis.openapi.from_url(f"{server.url}/openapi.json")
    method, path = route.split()
    if method == "GET" and mode is GenerationMode.NEGATIVE:
        pytest.skip("it has no parameters to get wrong")

    @given(case=schema[path][method].as_strategy(generation_mode=mode))
    @settings(
        max_examples=15 if method == "POST" else 3,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    def check(case: schemathesis.Case[Any]) -> None:
        # a schema can't say that a text has words or that a file is a treebank
        statuses.add(case.call_and_validate(excluded_checks=[positive_data_acceptance]).status_code)

    statuses: set[int] = set()
    check()
    assert all(status >= 400 if mode is GenerationMode.NEGATIVE else status < 500 for status in statuses)
    if mode is GenerationMode.POSITIVE and path != "/api/treebank":
        assert 200 in statuses
