"""Articles; each that is saved or deleted is purged."""

from django.db import models, transaction
from django.db.models.signals import post_delete, post_save
from django.dispatch import receiver

from news.purge import purge


class Article(models.Model):
    slug = models.SlugField(primary_key=True)
    text = models.TextField()

    def get_absolute_url(self):
        return f"/news/{self.slug}/"


@receiver([post_save, post_delete], sender=Article)
def purge_article(instance, **kwargs):
    paths = ["/", instance.get_absolute_url()]
    transaction.on_commit(lambda: purge(paths))
