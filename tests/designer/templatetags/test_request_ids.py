"""Id of the request in templates."""

from django.template import Context, Template

from designer.instrumentation import RequestContext, in_request

PAGE = Template("{% load request_ids %}{% request_id as id %}{{ id|default:'none' }}")


def test_a_template_shows_the_id_of_the_current_request():
    with in_request(RequestContext("id-1")):
        assert PAGE.render(Context()) == "id-1"


def test_outside_of_requests_there_is_no_id():
    assert PAGE.render(Context()) == "none"
