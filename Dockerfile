# The same packages as `make run` installs: requirements.lock, each file checked by its hash.
FROM python:3.11-slim

ENV PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    FOCUSWEB_DATA=/data \
    FOCUSWEB_HOST=0.0.0.0

WORKDIR /opt/focusweb
COPY requirements.lock ./
RUN python -m pip install --no-cache-dir --require-hashes -r requirements.lock \
    && useradd --create-home --uid 10001 focusweb \
    && install -d -m 0700 -o focusweb -g focusweb /data

COPY manage.py ./
COPY focusweb ./focusweb
COPY crawler ./crawler
COPY topics ./topics
COPY templates ./templates
COPY static ./static
COPY locale ./locale
COPY fixtures ./fixtures
COPY docs/examples ./docs/examples
RUN python -m crawler.text.noun_table

USER 10001
VOLUME /data
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "import http.client as h; c = h.HTTPConnection('127.0.0.1', 8000, timeout=4); c.request('GET', '/health'); raise SystemExit(c.getresponse().status != 200)"]
CMD ["python", "manage.py", "up"]
