const loopbackPort = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::(\d{1,5}))?(?=[/?]|$)/

/**
 * Whether an application may have a browser sent to `uri`: it registered that address, character by character. A public one may use
 * any port of a loopback address (RFC 8252, 7.3).
 */
export function isRegistered(uri: string, registered: readonly string[], isPublic: boolean): boolean {
  if (registered.includes(uri)) return true
  const portless = isPublic ? withoutLoopbackPort(uri) : undefined
  return portless !== undefined && registered.some((each) => withoutLoopbackPort(each) === portless)
}

function withoutLoopbackPort(uri: string): string | undefined {
  const [start, host = '', port = '1'] = loopbackPort.exec(uri) ?? []
  if (start === undefined || Number(port) < 1 || Number(port) > 65_535) return undefined
  return host + uri.slice(start.length)
}

type Parameters = [name: string, value: string][]

/** Adds parameters to an address, whose own query stays as it was registered (RFC 6749, 3.1.2). */
export function withParameters(uri: string, parameters: Parameters): string {
  if (parameters.length === 0) return uri
  const query = uri.indexOf('?')
  const joint = query < 0 ? '?' : /[?&]$/.test(uri) ? '' : '&'
  return `${uri}${joint}${new URLSearchParams(parameters)}`
}

/** The parameters of `location` that the query of `uri` does not have. */
export function addedParameters(location: string, uri: string): Parameters {
  const own = [...new URL(uri).searchParams]
  const isOwn = ([name, value]: [string, string]) => own.some(([ownName, its]) => ownName === name && its === value)
  return [...new URL(location).searchParams].filter((each) => !isOwn(each))
}
