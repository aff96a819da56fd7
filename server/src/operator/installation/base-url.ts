type Choice = { stored: string; wanted: string; isDefault: boolean; accepted: string | undefined }
type Verdict = { kind: 'same' } | { kind: 'changed'; warning: string } | { kind: 'refused'; problem: string }

const whatBreaks =
  'it is the issuer that receivers and applications check, and part of every sign-in callback: receivers refuse the ' +
  'webhooks, applications refuse the tokens, and providers refuse the sign-ins until each of them is told the new address'

/**
 * The base URL is stored at the first start. A different one is refused, unless `accepted` names it, or both are the default
 * on a loopback host and only the port differs, which gives a warning.
 */
export function judgeBaseUrl({ stored, wanted, isDefault, accepted }: Choice): Verdict {
  if (stored === wanted) return { kind: 'same' }
  const change = `SIGNET_BASE_URL: was ${stored} and is now ${wanted}`
  if (accepted === wanted || (isDefault && isDefaultForm(stored)))
    return { kind: 'changed', warning: `${change}; ${whatBreaks}` }
  return { kind: 'refused', problem: `${change}; ${whatBreaks}. To accept that, set SIGNET_ACCEPT_BASE_URL=${wanted}` }
}

const isDefaultForm = (url: string) => /^http:\/\/localhost(:\d+)?$/.test(url)
