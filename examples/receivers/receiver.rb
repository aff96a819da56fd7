# A receiver of Signet's webhooks in Ruby, with the gems jwt and webrick: apt-get install ruby ruby-jwt ruby-webrick
# ORG=<organization ID> ruby examples/receivers/receiver.rb; other settings: SIGNET, TARGET_URL, CERTIFICATE, PRIVATE_KEY
%w[json jwt net/http webrick/https].each { |library| require library }

ORG, SIGNET = ENV.fetch('ORG'), ENV.fetch('SIGNET', 'http://localhost:8080')
TARGET_URL = ENV.fetch('TARGET_URL', 'https://receiver.test:9443/hook')
CERTIFICATE = ENV.fetch('CERTIFICATE', 'data/receiver/certificate.pem')
PRIVATE_KEY = ENV.fetch('PRIVATE_KEY', 'data/receiver/private-key.pem')
FORMS = %w[jti aud sub iss webhook_id target_url trigger_type trigger_name].to_h { |name| [name, String] }
  .merge('iat' => Integer, 'exp' => Integer, 'trigger_content' => Hash)
$stdout.sync = true

Refused = Class.new(StandardError)
KeysUnavailable = Class.new(Refused)

# Fetched again after five minutes and at once for an unknown kid; after a fetch that did not help there is a pause. Good for an hour.
class KeySet
  def initialize
    @lock, @keys, @fetched, @pause, @next_fetch, @failed = Mutex.new, {}, -Float::INFINITY, 0, -Float::INFINITY, true
  end

  def key(kid)
    @lock.synchronize do # Requests that wait here share one fetch.
      now = Process.clock_gettime(Process::CLOCK_MONOTONIC)
      refresh(kid, now) if (!@keys.key?(kid) || now - @fetched > 300) && now >= @next_fetch
      return @keys[kid] if @keys.key?(kid) && now - @fetched < 3_600
      raise KeysUnavailable, 'key set: could not be fetched' if @failed
      raise Refused, 'kid: is not in the key set of the organization'
    end
  end

  def refresh(kid, now)
    begin
      @keys, @fetched, @failed = fetch, now, false
    rescue StandardError => error
      puts "Key set: #{error.message}"
      @failed = true
    end
    helped = !@failed && @keys.key?(kid)
    @pause = helped ? 0 : [@failed ? 5 : 60, [1, 2 * @pause].max].min
    @next_fetch = now + @pause
  end

  def fetch
    place = URI("#{SIGNET}/organizations/webhooks/verification-jwks")
    limits = { use_ssl: place.scheme == 'https', open_timeout: 5, read_timeout: 5 }
    answer = Net::HTTP.start(place.host, place.port, **limits) { |http| http.get(place.path, 'Service-OrgID' => ORG) }
    raise "was answered with #{answer.code}" if answer.code != '200'
    ours = JSON.parse(answer.body)['keys'].select { |key| key['kty'] == 'EC' && key['crv'] == 'P-256' }
    raise 'was answered with no keys' if ours.empty?
    ours.to_h { |key| [key['kid'], JWT::JWK.import(key).keypair] }
  end
end

def verify(token)
  raise Refused, 'body: must be a signed JWT in its compact form' unless token.match?(/\A[\w-]+\.[\w-]+\.[\w-]*\z/)
  head, payload = token.split('.').first(2).map { |part| part.tr('-_', '+/').unpack1('m').force_encoding('UTF-8') }
  header = JSON.parse(head)
  usable = header.is_a?(Hash) && header['alg'] == 'ES256' && header.key?('kid') && !header.key?('crit')
  raise Refused, 'header: must have alg ES256, a kid, and no crit' unless usable
  raise Refused, 'payload: must be an object in UTF-8' unless payload.valid_encoding? && payload.start_with?('{')
  # The leeway of the gem would prolong exp as well. So iat is checked below, and the gem is not asked to.
  claims, = JWT.decode(token, KEY_SET.key(header['kid']), true, algorithm: 'ES256', verify_iat: false)
  check(claims, Time.now.to_i)
end

def check(claims, now)
  FORMS.each { |name, form| raise Refused, "#{name}: must be of #{form}" unless claims[name].is_a?(form) }
  type = claims['trigger_name'] == 'token_minted' ? 'sync_hook' : 'event'
  {
    'exp: is past' => claims['exp'] > now,
    'exp: must be at most five minutes after iat' => claims['exp'] - claims['iat'] <= 300 && claims['iat'] >= 0,
    'iat: is more than five minutes ahead' => claims['iat'] <= now + 300,
    'aud: is not this organization' => claims['aud'] == ORG,
    'iss: is not the base URL of this Signet' => claims['iss'] == SIGNET,
    'target_url: is not the address of this receiver' => claims['target_url'] == TARGET_URL,
    'trigger_type: must be that of the trigger_name' => claims['trigger_type'] == type,
  }.each { |message, holds| raise Refused, message unless holds }
  claims
end

def handle(claims)
  HANDLING.synchronize do
    return puts("Again: #{claims['sub']} is handled already") if claims['trigger_type'] == 'event' && HANDLED[claims['sub']]
    puts "Verified: #{claims['trigger_name']} #{claims.to_json}"
    HANDLED[claims['sub']] = true
  end
end

def status_for(request)
  return 413 unless Integer(request['content-length'].to_s, 10, exception: false)&.between?(0, 2_097_152)
  handle(verify(request.body.to_s))
  204
rescue Refused, JWT::DecodeError, JSON::ParserError => error
  puts "Refused: #{error.message}"
  error.is_a?(KeysUnavailable) ? 503 : 401
end

KEY_SET, HANDLING = KeySet.new, Mutex.new
HANDLED = {} # In production a table, written in the transaction that handles the event.
certificate, key = OpenSSL::X509::Certificate.new(File.read(CERTIFICATE)), OpenSSL::PKey.read(File.read(PRIVATE_KEY))
place = { BindAddress: '127.0.0.1', Port: URI(TARGET_URL).port, AccessLog: [], Logger: WEBrick::Log.new(nil, 0) }
server = WEBrick::HTTPServer.new(**place, SSLEnable: true, SSLCertificate: certificate, SSLPrivateKey: key)
server.mount_proc('/') { |request, response| response.status = status_for(request) }
puts "Listening: #{TARGET_URL}"
server.start
