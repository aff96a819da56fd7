require 'openid_connect'
require 'sinatra'

issuer = ENV.fetch('ISSUER')
server = OpenIDConnect::Discovery::Provider::Config.discover! issuer
client = OpenIDConnect::Client.new(
  identifier: ENV.fetch('CLIENT_ID'),
  secret: ENV.fetch('CLIENT_SECRET'),
  redirect_uri: "#{ENV.fetch 'APPLICATION_URL'}/callback",
  authorization_endpoint: server.authorization_endpoint,
  token_endpoint: server.token_endpoint,
  userinfo_endpoint: server.userinfo_endpoint
)
scope = %i[openid profile email offline_access]
state = nonce = verifier = token = sub = nil

set :bind, '127.0.0.1'
set :port, ENV.fetch('PORT')
set :environment, :production
set :server, 'webrick'
before { content_type :json }

get '/sign-in' do
  state, nonce, verifier = Array.new(3) { SecureRandom.urlsafe_base64 32 }
  challenge = Base64.urlsafe_encode64 Digest::SHA256.digest(verifier), padding: false
  pkce = { code_challenge: challenge, code_challenge_method: 'S256' }
  redirect client.authorization_uri(scope: scope, state: state, nonce: nonce, **pkce)
end

get '/callback' do
  halt 403 unless params['state'] == state
  client.authorization_code = params['code']
  token = client.access_token! code_verifier: verifier
  id_token = OpenIDConnect::ResponseObject::IdToken.decode token.id_token, server.jwks
  id_token.verify! issuer: issuer, client_id: client.identifier, nonce: nonce
  sub = id_token.sub
  redirect '/'
end

get '/' do
  tokens = token && { access_token: token.access_token, refresh_token: token.refresh_token, id_token: token.id_token }
  { sub: sub, **tokens.to_h }.to_json
end

get '/refresh' do
  client.refresh_token = token.refresh_token
  token = client.access_token!
  '{}'
end

get '/user-info' do
  token.userinfo!.raw_attributes.to_json
end
