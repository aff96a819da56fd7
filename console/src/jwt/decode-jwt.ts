export type Jwt = { header: { kid: string }; claims: { exp: number; target_url: string } }

/** Header and claims of a JWT that this service signed; nothing is verified. */
export function decodeJwt(token: string): Jwt {
  const [header = '', claims = ''] = token.split('.')
  return { header: decodePart(header), claims: decodePart(claims) }
}

function decodePart(part: string) {
  const binary = atob(part.replaceAll('-', '+').replaceAll('_', '/'))
  return JSON.parse(new TextDecoder().decode(Uint8Array.from(binary, (letter) => letter.charCodeAt(0))))
}
