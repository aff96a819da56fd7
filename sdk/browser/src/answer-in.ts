const answerNames = ['code', 'state', 'iss', 'error', 'error_description']

/** What Signet sent the browser back with; undefined: this address has nothing of a sign-in. */
export function answerIn(address: string): URLSearchParams | undefined {
  const { searchParams } = new URL(address, location.href)
  const isAnswer = searchParams.has('state') && (searchParams.has('code') || searchParams.has('error'))
  return isAnswer ? searchParams : undefined
}

/** The same address without it: a code is nobody else's to see, neither in a history nor in an event. */
export function withoutAnswer(address: string): string {
  if (!answerIn(address)) return address
  const url = new URL(address, location.href)
  for (const name of answerNames) url.searchParams.delete(name)
  // Signet's redirect has an empty fragment, so that none is inherited.
  if (!url.hash) url.hash = ''
  return url.href
}
