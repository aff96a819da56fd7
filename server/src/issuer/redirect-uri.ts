const loopbackPort = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::(\d{1,5}))?(?=[/?]|$)/

/**
 * Whether an application may have a browser sent there: an address that it registered, letter by letter. A public one takes
 * whichever port of the loopback interface is free at the time (RFC 8252, 7.3).
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

/** The address with what it is answered. Its own query stays as it was registered (RFC 6749, 3.1.2). */
export function withAnswer(uri: string, answer: [name: string, value: string][]): string {
  if (answer.length === 0) return uri
  const query = uri.indexOf('?')
  const joint = query < 0 ? '?' : /[?&]$/.test(uri) ? '' : '&'
  return `${uri}${joint}${new URLSearchParams(answer)}`
}

/** What of `location` was added to the query of `uri`. */
export function answerIn(location: string, uri: string): [name: string, value: string][] {
  const own = [...new URL(uri).searchParams]
  const isOwn = ([name, value]: [string, string]) => own.some(([itsName, its]) => itsName === name && its === value)
  return [...new URL(location).searchParams].filter((each) => !isOwn(each))
}
