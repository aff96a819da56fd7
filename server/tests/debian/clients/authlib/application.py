from os import environ

from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import jwt
from authlib.oidc.core import CodeIDToken
from flask import Flask, redirect, request
from werkzeug.serving import make_server

client = OAuth2Session(
    environ['CLIENT_ID'],
    environ['CLIENT_SECRET'],
    scope='openid profile email offline_access',
    redirect_uri=environ['APPLICATION_URL'] + '/callback',
    code_challenge_method='S256',
)
issuer = environ['ISSUER']
server = client.get(issuer + '/.well-known/openid-configuration', withhold_token=True).json()
keys = client.get(server['jwks_uri'], withhold_token=True).json()
checks = {}
claims = {}
app = Flask(__name__)


@app.get('/sign-in')
def sign_in():
    checks.update(nonce=generate_token(), code_verifier=generate_token(48))
    address, checks['state'] = client.create_authorization_url(server['authorization_endpoint'], **checks)
    return redirect(address)


@app.get('/callback')
def callback():
    answer = {'authorization_response': request.url, 'state': checks['state']}
    token = client.fetch_token(server['token_endpoint'], code_verifier=checks['code_verifier'], **answer)
    expected = {'iss': {'essential': True, 'value': issuer}}
    given = {'nonce': checks['nonce'], 'client_id': client.client_id, 'access_token': token['access_token']}
    found = jwt.decode(token['id_token'], keys, CodeIDToken, expected, given)
    found.validate()
    claims.update(found)
    return redirect('/')


@app.get('/')
def signed_in():
    return {'sub': claims.get('sub'), **(client.token or {})}


@app.get('/refresh')
def refresh():
    return client.refresh_token(server['token_endpoint'], client.token['refresh_token'])


@app.get('/user-info')
def user_info():
    return client.get(server['userinfo_endpoint']).json()


@app.get('/revoke')
def revoke():
    answer = client.revoke_token(server['revocation_endpoint'], client.token['refresh_token'], 'refresh_token')
    answer.raise_for_status()
    return {}


listening = make_server('127.0.0.1', int(environ['PORT']), app)
print('Listening: ' + environ['APPLICATION_URL'], flush=True)
listening.serve_forever()
