import type { CreatedDirectoryLink } from '@signet/management'
import { untilInWords } from '../sign-in/link-message.ts'

type Message = { organization: string; link: Pick<CreatedDirectoryLink, 'url' | 'expires_at'> }

/** What goes with a link to the administrator of a customer's directory. */
export const messageForDirectory = ({ organization, link }: Message) =>
  `To let your directory keep your people and groups at ${organization}, please open the page below. It makes the token that your ` +
  `Okta or Microsoft Entra ID needs, and says where to enter it. It works once, until ${untilInWords(link)}. ` +
  `Please do not pass it on.\n\n${link.url}`
