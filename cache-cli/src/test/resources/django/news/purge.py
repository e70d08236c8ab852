"""Purges paths of this site at the edges before it."""

import http.client
import logging

from django.conf import settings


def purge(paths):
    for edge in settings.FOREBAY:
        connection = http.client.HTTPConnection(edge, timeout=5)
        try:
            for path in paths:
                connection.request("PURGE", path, headers={"Host": settings.SITE_HOST})
                response = connection.getresponse()
                response.read()
                if response.status != 200:
                    logging.error("%s did not purge %s: %d", edge, path, response.status)
        except OSError as error:
            logging.error("%s did not purge %s: %s", edge, paths, error)
        finally:
            connection.close()
