"""What visitors see. Each view sends the same Cache-Control to all, users and visitors alike."""

from django.contrib import admin
from django.http import HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import get_object_or_404
from django.urls import path
from django.views.decorators.cache import cache_control

from news.models import Article

shared = cache_control(max_age=0, s_maxage=86400)


def page(request, text):
    # Django says Vary: Cookie because this reads the session.
    name = request.user.get_username() if request.user.is_authenticated else "nobody"
    return HttpResponse(f"<p>you are {name}</p>\n<p>{text}</p>\n")


@shared
def front(request):
    return page(request, ", ".join(article.slug for article in Article.objects.order_by("slug")))


@shared
def article(request, slug):
    return page(request, get_object_or_404(Article, pk=slug).text)


@shared
def visits(request):
    request.session["visits"] = request.session.get("visits", 0) + 1
    return HttpResponse(f"visit {request.session['visits']}")


@shared
def form(request):
    if request.method == "POST":
        return HttpResponse("taken")
    return HttpResponse(get_token(request))


admin.site.register(Article)
urlpatterns = [
    path("", front),
    path("news/<slug:slug>/", article),
    path("visits/", visits),
    path("form/", form),
    path("admin/", admin.site.urls),
]
