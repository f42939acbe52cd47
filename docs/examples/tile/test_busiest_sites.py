import busiest_sites


def test_the_home_page_names_the_sites(crawl, load_plugin, client):
    load_plugin(busiest_sites)
    crawled = crawl()
    client.force_login(crawled.topic.owner)

    html = client.get("/").content.decode()

    assert "Busiest sites" in html
    assert "solar.test" in html


def test_a_user_sees_the_sites_of_no_other(crawl, load_plugin, client, django_user_model):
    load_plugin(busiest_sites)
    crawl()
    client.force_login(django_user_model.objects.create(username="other"))

    assert "solar.test" not in client.get("/").content.decode()


def test_the_plugin_changes_nothing_else(assert_isolated):
    assert_isolated(busiest_sites)
