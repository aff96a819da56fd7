import type { SignetError } from '@signet/management'

export type Words = { title: string; advice: string }

/** Of a reply that is not Signet's, by what it says. A proxy gives a page of its own, and so does the sign-in of a network. */
export function explainForeign({ status }: SignetError): Words {
  if (status === undefined || status < 400) return ofOtherPage
  const title = `A proxy in front of Signet answered, with status ${status}.`
  if (status >= 500) return { title, advice: unreached }
  if (status === 401 || status === 403 || status === 407) return { title, advice: refused }
  if (status === 413) return { title, advice: 'It takes only smaller requests: its own limit is below that of Signet.' }
  if (status === 429) return { title, advice: 'It limits how many requests may come. Wait a moment.' }
  return { title, advice: 'It has another rule for this address than Signet has: see its configuration.' }
}

const unreached = 'It does not reach Signet, which may be starting again. Its log says more.'
const refused =
  'It asks for a sign-in of its own, or does not let you through. Load the page again to come to its sign-in.'

/** A success or a redirect that Signet does not give. */
const ofOtherPage: Words = {
  title: 'Something else answered in place of Signet.',
  advice: 'The network, or a proxy, may want you to sign in there first. Load the page again to come to it.',
}
