require 'omniauth_openid_connect'
require 'sinatra'

issuer = URI(ENV.fetch('ISSUER'))
auth = nil

set :bind, '127.0.0.1'
set :port, ENV.fetch('PORT')
set :environment, :production
set :server, 'webrick'
use Rack::Session::Cookie, secret: 'of a test, and so long that the library is content with it, which is 64 bytes'
use OmniAuth::Builder do
  provider :openid_connect,
           name: :signet,
           issuer: issuer.to_s,
           discovery: true,
           scope: %i[openid profile email offline_access],
           client_options: {
             host: issuer.host,
             port: issuer.port,
             identifier: ENV.fetch('CLIENT_ID'),
             secret: ENV.fetch('CLIENT_SECRET'),
             redirect_uri: "#{ENV.fetch 'APPLICATION_URL'}/auth/signet/callback"
           }
end

# The library begins by POST alone.
get '/sign-in' do
  token = Rack::Protection::AuthenticityToken.token session
  %(<form action="/auth/signet" method="post"><input type="hidden" name="authenticity_token" value="#{token}">
    <button>Sign in with Signet</button></form>)
end

get '/auth/signet/callback' do
  auth = request.env['omniauth.auth']
  redirect '/'
end

get '/' do
  content_type :json
  next '{}' unless auth

  { sub: auth.uid, access_token: auth.credentials.token, **auth.credentials }.to_json
end

get '/user-info' do
  content_type :json
  auth.extra.raw_info.to_json
end
