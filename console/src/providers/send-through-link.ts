import type { LinkedCredential } from '@signet/management'
import type { Call } from '../service/signet.ts'

/** Creates the credential of a link, and uses the link up. */
export const sendThroughLink =
  (body: LinkedCredential): Call =>
  (signet) =>
    signet.useCredentialLink({ body })
