/** Where the service is for browsers, who come by https; the tests are what ends it for them. */
export const baseUrl = 'https://id.signet.test'

const ownPage = { 'service-console': '1', 'sec-fetch-site': 'same-origin' }

type Cookie = { name: string; value: string; host: string; path: string; isSecure: boolean }
export type Page = { url: string; status: number; headers: Headers; html: string }

export type Going = {
  /** Who signs in at the providers, which have no page to ask. */
  person?: object
  /** Stops before the browser would go there. */
  stopAt?: RegExp
  form?: Record<string, string>
  referer?: string
}

export type Browser = {
  /** Goes wherever it is sent, to the first page, or to what it shall not visit: that is given with status 0. */
  go(url: string, going?: Going): Promise<Page>
  /** What a page of the console sends while nobody is signed in; cookies are kept as those of every page. */
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of an answer, field by field
  send(url: string, body: object): Promise<{ status: number; body: any }>
  /** The `Cookie` header for an address. */
  cookiesFor(url: string): string
  forget(name: RegExp): void
  /** What a neighbouring host sets for the parent domain: a browser takes no `__Host-` cookie of it (RFC 6265bis, 5.7). */
  plant(cookies: string): void
}

const maxSteps = 20
const nowhere = { status: 0, headers: new Headers(), html: '' }

/**
 * A browser with cookies of its own. It visits no application: that is where each sign-in ends. `at` is the node that it
 * meets next; `onCookie` is told each `Set-Cookie`; `extra` headers go with each request.
 */
export function openBrowser(
  at: () => string,
  onCookie: (line: string) => void = () => {},
  extra: Record<string, string> = {},
): Browser {
  let jar: Cookie[] = []
  const cookiesFor = (url: string) => {
    const { hostname, pathname, protocol } = new URL(url)
    const fits = ({ host, path, isSecure }: Cookie) =>
      host === hostname && isBelow(pathname, path) && (!isSecure || protocol === 'https:')
    return jar
      .filter(fits)
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ')
  }
  const keep = (url: string, lines: string[]) => {
    for (const line of lines) {
      onCookie(line)
      const { cookie, isGone } = readCookie(url, line)
      jar = jar.filter(({ name, host, path }) => name !== cookie.name || host !== cookie.host || path !== cookie.path)
      if (!isGone) jar.push(cookie)
    }
  }
  const step = async (url: string, { form, referer, person }: Going) => {
    const body = form && { method: 'POST', body: new URLSearchParams(form) }
    const isOurs = url.startsWith(baseUrl)
    // Each time another person may sit down: what the provider remembers of the one before is no part of a test.
    if (!isOurs && isAuthorize(url)) jar = jar.filter(({ name }) => !name.startsWith('_session'))
    const address = isOurs ? url.replace(baseUrl, at()) : withHint(url, person)
    const headers = { cookie: cookiesFor(url), 'user-agent': 'A browser', ...(referer && { referer }), ...extra }
    const answer = await fetch(address, { redirect: 'manual', headers, ...body })
    keep(url, answer.headers.getSetCookie())
    return answer
  }
  return {
    cookiesFor,
    forget: (name) => {
      jar = jar.filter((cookie) => !name.test(cookie.name))
    },
    plant: (cookies) => {
      const pairs = cookies.split('; ').filter((pair) => !pair.startsWith('__Host-'))
      keep(
        baseUrl,
        pairs.map((pair) => `${pair}; Path=/; Secure`),
      )
    },
    send: async (url, body) => {
      const headers = { ...ownPage, 'content-type': 'application/json', cookie: cookiesFor(url), ...extra }
      const answer = await fetch(url.replace(baseUrl, at()), { method: 'POST', headers, body: JSON.stringify(body) })
      keep(url, answer.headers.getSetCookie())
      return { status: answer.status, body: await answer.json() }
    },
    go: async (start, going = {}) => {
      let url = start
      for (let steps = 0; steps < maxSteps; steps++) {
        const { form, ...others } = going
        const answer = await step(url, form && steps === 0 ? going : others)
        const location = answer.headers.get('location') ?? onwardFrom(answer.headers)
        if (!location) return { url, status: answer.status, headers: answer.headers, html: await answer.text() }
        url = new URL(location, url).href
        if (url.startsWith(application) || going.stopAt?.test(url)) return { ...nowhere, url }
      }
      throw new Error(`no end of redirects from ${start}`)
    },
  }
}

/** Where applications of tests are; nobody answers there. */
export const application = 'https://app.test/'

/** The same for a program that is no browser, such as the library of an application. */
export const fetchAt =
  (at: () => string) =>
  (url: string, options: RequestInit): Promise<Response> =>
    fetch(url.replace(baseUrl, at()), options)

/** Where a page goes by itself. */
const onwardFrom = (headers: Headers) => /^0;url=(.*)$/.exec(headers.get('refresh') ?? '')?.[1]

const isBelow = (pathname: string, path: string) =>
  pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`)

function readCookie(url: string, line: string): { cookie: Cookie; isGone: boolean } {
  const [pair = '', ...attributes] = line.split(';').map((part) => part.trim())
  const [, name = '', value = ''] = /^([^=]+)=(.*)$/.exec(pair) ?? []
  const of = (wanted: string) =>
    attributes.find((attribute) => attribute.toLowerCase().startsWith(`${wanted}=`))?.slice(wanted.length + 1)
  const expires = of('expires')
  const isGone = of('max-age') === '0' || value === '' || (expires !== undefined && Date.parse(expires) < Date.now())
  const isSecure = attributes.some((attribute) => attribute.toLowerCase() === 'secure')
  if (isSecure && !url.startsWith('https:')) throw new Error(`${url} sets a Secure cookie`)
  return { cookie: { name, value, host: new URL(url).hostname, path: of('path') ?? '/', isSecure }, isGone }
}

const isAuthorize = (url: string) => new URL(url).searchParams.has('client_id')

function withHint(url: string, person: object | undefined): string {
  const address = new URL(url)
  if (person && isAuthorize(url)) address.searchParams.set('login_hint', JSON.stringify(person))
  return address.href
}
