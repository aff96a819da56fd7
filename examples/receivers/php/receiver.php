<?php
// A receiver of Signet's webhooks in PHP 8, without libraries: apt-get install php-cli
//   ORG=<organization ID> php -S 127.0.0.1:9080 examples/receivers/php/receiver.php
// PHP's own server speaks no TLS: README.md in the folder above says what stands before it. Other settings: SIGNET,
// TARGET_URL, and STATE, a folder that nobody else writes to.
declare(strict_types=1);

require __DIR__ . '/key_set.php';

final class Refused extends Exception {}

function setting(string $name, string $otherwise): string { return getenv($name) ?: $otherwise; }
function decode(string $part): string { return (string) base64_decode(strtr($part, '-_', '+/')); }
function demand(bool $holds, string $message, int $status = 401): void { if (!$holds) throw new Refused($message, $status); }
function tell(string $line): void { file_put_contents('php://stdout', "$line\n"); }

/** OpenSSL reads two integers in DER where a JWT has r and s, of 32 bytes each (RFC 7518, 3.4). */
function isSigned(string $input, string $signature, string $key): bool
{
    $integer = function (string $bytes): string {
        $bytes = ltrim($bytes, "\0");
        $bytes = $bytes === '' || ord($bytes[0]) > 127 ? "\0$bytes" : $bytes;
        return "\x02" . chr(strlen($bytes)) . $bytes;
    };
    if (strlen($signature) !== 64) return false;
    $both = implode('', array_map($integer, str_split($signature, 32)));
    return openssl_verify($input, "\x30" . chr(strlen($both)) . $both, $key, OPENSSL_ALGO_SHA256) === 1;
}

function verify(string $body): array
{
    demand(preg_match('/^([\w-]+)\.([\w-]+)\.([\w-]*)$/D', $body, $parts) === 1, 'body: must be a signed JWT in its compact form');
    [$header, $claims] = array_map(fn($part) => json_decode(decode($part)), [$parts[1], $parts[2]]);
    $isUsable = is_object($header) && ($header->alg ?? '') === 'ES256' && is_string($header->kid ?? 0) && !isset($header->crit);
    demand($isUsable, 'header: must have alg ES256, a kid, and no crit');
    demand(isSigned("$parts[1].$parts[2]", decode($parts[3]), keyOf($header->kid)), 'signature: is not that of the key');
    demand(is_object($claims), 'claims: must be an object in JSON');
    check((array) $claims, time());
    return (array) $claims;
}

function check(array $claims, int $now): void
{
    foreach (['jti', 'aud', 'sub', 'iss', 'webhook_id', 'target_url', 'trigger_type', 'trigger_name'] as $name)
        demand(is_string($claims[$name] ?? null), "$name: must be a string");
    foreach (['iat', 'exp'] as $name) demand(is_int($claims[$name] ?? null), "$name: must be whole seconds since 1970");
    demand(is_object($claims['trigger_content'] ?? null), 'trigger_content: must be an object');
    demand($claims['exp'] > $now, 'exp: is past');
    demand($claims['iat'] >= 0 && $claims['exp'] - $claims['iat'] <= 300, 'exp: must be at most five minutes after iat');
    demand(max($claims['iat'], $claims['nbf'] ?? 0) <= $now + 300, 'iat: is more than five minutes ahead');
    demand($claims['aud'] === getenv('ORG'), 'aud: is not this organization');
    demand($claims['iss'] === setting('SIGNET', 'http://localhost:8080'), 'iss: is not the base URL of this Signet');
    $target = setting('TARGET_URL', 'https://receiver.test:9443/hook');
    demand($claims['target_url'] === $target, 'target_url: is not the address of this receiver');
    $type = $claims['trigger_name'] === 'token_minted' ? 'sync_hook' : 'event';
    demand($claims['trigger_type'] === $type, 'trigger_type: must be that of the trigger_name');
}

/** Once for each sub. In production a table, written in the transaction that handles the event. */
function handle(array $claims): void
{
    $file = fopen(setting('STATE', 'data/receiver') . '/php-handled.txt', 'c+');
    flock($file, LOCK_EX);
    $isHandled = in_array($claims['sub'], explode("\n", stream_get_contents($file)), true);
    if ($isHandled && $claims['trigger_type'] === 'event') {
        tell("Again: {$claims['sub']} is handled already");
    } else {
        tell("Verified: {$claims['trigger_name']} " . json_encode($claims));
        fwrite($file, "{$claims['sub']}\n");
    }
    fclose($file);
}

try {
    demand((int) ($_SERVER['CONTENT_LENGTH'] ?? 0) <= 2_097_152, 'body: must be at most 2 MiB', 413);
    handle(verify(file_get_contents('php://input')));
    http_response_code(204);
} catch (Refused $refusal) {
    tell("Refused: {$refusal->getMessage()}");
    http_response_code($refusal->getCode());
}
