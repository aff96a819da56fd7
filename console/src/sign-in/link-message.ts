import type { CreatedCredentialLink } from '@signet/management'

type Message = { organization: string; provider: string; link: Pick<CreatedCredentialLink, 'url' | 'expires_at'> }

const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })

/** Whoever reads it may be in another zone. */
export const untilInWords = ({ expires_at }: { expires_at: string }) => `${day.format(new Date(expires_at))} UTC`

/** What goes with a link to the administrator of a customer. */
export const messageFor = ({ organization, provider, link }: Message) =>
  `To let your people sign in to ${organization} with ${provider}, please open the page below. It shows what to register at ` +
  `${provider} and where to enter the client ID and the client secret. It works once, until ${untilInWords(link)}. ` +
  `Please do not pass it on.\n\n${link.url}`
