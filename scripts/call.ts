const callMs = 60_000

/** Resolves to the `result` of the reply, or to the whole reply where it has none. */
export type Call = <Result = Record<string, unknown>>(method: string, path: string, body?: object) => Promise<Result>

/** Makes calls to Signet with these headers. `log` receives each request and each reply. */
export function caller(baseUrl: string, headers: Record<string, string>, log: (line: string) => void = () => {}): Call {
  return async (method, path, body) => {
    log(`${method} ${path}${body ? ` ${JSON.stringify(body)}` : ''}`)
    const json = body ? { headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}
    const signal = AbortSignal.timeout(callMs)
    const response = await fetch(`${baseUrl}${path}`, { method, headers, ...json, signal })
    const answer = await response.text()
    log(`${response.status} ${answer}`)
    if (!response.ok) throw new Error(`${method} ${path} failed with ${response.status} ${answer}`)
    const { result, ...bare } = JSON.parse(answer || '{}')
    return result ?? bare
  }
}
