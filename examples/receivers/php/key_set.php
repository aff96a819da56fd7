<?php
// The keys of the organization. A script of PHP remembers nothing: they are kept in a file, in the folder STATE.
declare(strict_types=1);

/**
 * Fetches the set after five minutes and at once for an unknown kid; after a fetch that did not help there is a pause. While fetches fail it is
 * good for an hour.
 */
function keyOf(string $kid): string
{
    $file = fopen(setting('STATE', 'data/receiver') . '/php-key-set.json', 'c+');
    flock($file, LOCK_EX); // Requests that wait here share one fetch.
    $never = ['keys' => [], 'fetched' => -3600.0, 'tried' => -3600.0, 'pause' => 0.0, 'failed' => true];
    $now = hrtime(true) / 1e9; // Elapsed time, which begins anew when the machine does.
    $kept = json_decode(stream_get_contents($file), true) ?? $never;
    if ($kept['tried'] > $now) $kept = $never;
    $isFresh = isset($kept['keys'][$kid]) && $now - $kept['fetched'] < 300;
    if (!$isFresh && $now >= $kept['tried'] + $kept['pause']) {
        $kept = refreshed($kept, $kid, $now);
        ftruncate($file, 0);
        rewind($file);
        fwrite($file, json_encode($kept, JSON_PRESERVE_ZERO_FRACTION));
    }
    fclose($file);
    $isKnown = isset($kept['keys'][$kid]) && $now - $kept['fetched'] < 3600;
    demand($isKnown || !$kept['failed'], 'key set: could not be fetched', 503);
    demand($isKnown, 'kid: is not in the key set of the organization');
    return $kept['keys'][$kid];
}

function refreshed(array $kept, string $kid, float $now): array
{
    $keys = fetchKeys();
    $failed = $keys === null;
    $helped = isset($keys[$kid]);
    $pause = $helped ? 0.0 : min($failed ? 5.0 : 60.0, max(1.0, 2 * $kept['pause']));
    $new = ['tried' => $now, 'pause' => $pause, 'failed' => $failed];
    return $failed ? $new + $kept : $new + ['keys' => $keys, 'fetched' => $now];
}

/** @return ?array<string, string> PEM by kid */
function fetchKeys(): ?array
{
    $http = ['header' => 'Service-OrgID: ' . getenv('ORG'), 'timeout' => 10, 'follow_location' => 0];
    $place = setting('SIGNET', 'http://localhost:8080') . '/organizations/webhooks/verification-jwks';
    // Of an address that leads elsewhere the body does not count: only that with status 200 is from the issuer.
    $text = @file_get_contents($place, false, stream_context_create(['http' => $http]), 0, 65536);
    $isGood = preg_match('~^HTTP/1\.[01] 200\b~', $http_response_header[0] ?? '') === 1;
    $set = $isGood ? json_decode((string) $text, true) : null;
    if (!is_array($set['keys'] ?? null)) return null;
    $ours = array_filter($set['keys'], fn($key) => $key['kty'] === 'EC' && $key['crv'] === 'P-256');
    // What stands before x and y in the DER form of a public key of P-256 (RFC 5480).
    $head = hex2bin('3059301306072a8648ce3d020106082a8648ce3d03010703420004');
    $der = fn($key) => base64_encode($head . decode($key['x']) . decode($key['y']));
    $pem = fn($key) => "-----BEGIN PUBLIC KEY-----\n" . chunk_split($der($key), 64) . "-----END PUBLIC KEY-----\n";
    if (count($ours) === 0) return null;
    return array_column(array_map(fn($key) => ['kid' => $key['kid'], 'pem' => $pem($key)], $ours), 'pem', 'kid');
}
