from os import environ
from urllib.parse import urlparse

import django
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.http import JsonResponse
from django.shortcuts import redirect
from django.urls import include, path
from werkzeug.serving import make_server

settings.configure(
    SECRET_KEY='of a test',
    ALLOWED_HOSTS=['localhost'],
    ROOT_URLCONF=__name__,
    DATABASES={'default': {'ENGINE': 'django.db.backends.sqlite3', 'NAME': environ['FOLDER'] + '/database'}},
    DEFAULT_AUTO_FIELD='django.db.models.AutoField',
    INSTALLED_APPS=[
        'django.contrib.auth',
        'django.contrib.contenttypes',
        'django.contrib.sessions',
        'social_django',
    ],
    MIDDLEWARE=[
        'django.contrib.sessions.middleware.SessionMiddleware',
        'django.contrib.auth.middleware.AuthenticationMiddleware',
    ],
    AUTHENTICATION_BACKENDS=['social_core.backends.open_id_connect.OpenIdConnectAuth'],
    SOCIAL_AUTH_OIDC_OIDC_ENDPOINT=environ['ISSUER'],
    SOCIAL_AUTH_OIDC_KEY=environ['CLIENT_ID'],
    SOCIAL_AUTH_OIDC_SECRET=environ['CLIENT_SECRET'],
    SOCIAL_AUTH_REDIRECT_IS_HTTPS=False,
    LOGIN_REDIRECT_URL='/',
)
django.setup()
call_command('migrate', verbosity=0)


def signed_in(request):
    if not request.user.is_authenticated:
        return JsonResponse({})
    extra = request.user.social_auth.get().extra_data
    return JsonResponse({'sub': extra['id'], 'access_token': extra['access_token'], 'id_token': extra['id_token']})


def user_info(request):
    """What the library made of the claims; without `preferred_username` it would have invented a name."""
    user = get_user_model().objects.get()
    return JsonResponse(
        {
            'sub': user.social_auth.get().uid,
            'preferred_username': user.username,
            'email': user.email,
        }
    )


urlpatterns = [
    path('sign-in', lambda request: redirect('/login/oidc/')),
    path('', include('social_django.urls', namespace='social')),
    path('user-info', user_info),
    path('', signed_in),
]

listening = make_server('127.0.0.1', urlparse(environ['APPLICATION_URL']).port, get_wsgi_application())
print('Listening: ' + environ['APPLICATION_URL'], flush=True)
listening.serve_forever()
