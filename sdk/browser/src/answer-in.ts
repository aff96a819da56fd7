const answerNames = ['code', 'state', 'iss', 'error', 'error_description']

/** The callback parameters in an address; undefined when it has none. */
export function answerIn(address: string): URLSearchParams | undefined {
  const { searchParams } = new URL(address, location.href)
  const isAnswer = searchParams.has('state') && (searchParams.has('code') || searchParams.has('error'))
  return isAnswer ? searchParams : undefined
}

/** The address without callback parameters, so that a code shows neither in the history nor in an event. */
export function withoutAnswer(address: string): string {
  if (!answerIn(address)) return address
  const url = new URL(address, location.href)
  for (const name of answerNames) url.searchParams.delete(name)
  // Signet's redirect has an empty fragment, so that the browser does not keep an earlier one.
  if (!url.hash) url.hash = ''
  return url.href
}
