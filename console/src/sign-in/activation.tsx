import type { Credential } from '@signet/management'
import { AskingButton } from '../calls/asking-button.tsx'
import { Notice } from '../design/state.tsx'
import { serverOptionOf } from '../providers/options.ts'
import type { Call } from '../service/signet.ts'
import { useAdminRefusal, useIsAdmin } from '../session/session.ts'

/** Says what an inactive credential is, and lets an admin key confirm it. */
export function InactiveNotice({ credential }: { credential: Credential }) {
  const isAdmin = useIsAdmin()
  return (
    <Notice
      tone="warn"
      title="Nobody signs in with this credential."
      action={<Activation credential={credential} to={true} />}
    >
      It waits for an admin key: somebody entered it through a link, a key without all scopes made it or pointed it
      elsewhere, or it was deactivated. Check the client ID, and the tenant, organization URL or issuer, with whoever
      entered it, test it, then activate it.{!isAdmin && ' Only admin keys and owners activate it.'}
    </Notice>
  )
}

/** Activates a credential, or deactivates it. */
export function Activation({ credential, to }: { credential: Credential; to: boolean }) {
  const words = to ? activate : deactivate
  const call: Call = (signet) =>
    signet.modifyOidcCredential({
      path: { oauth_client_id: credential.client_id },
      body: to ? { active: true, ...placeOf(credential) } : { active: false },
    })
  return (
    <AskingButton
      label={words.action}
      button={to ? { tone: 'primary', icon: 'check' } : { icon: 'pause' }}
      refusal={useAdminRefusal()}
      title={words.title}
      action={words.action}
      tone={to ? 'primary' : 'danger'}
      call={call}
      done={words.done}
    >
      {words.consequences.map((consequence) => (
        <p key={consequence}>{consequence}</p>
      ))}
    </AskingButton>
  )
}

/**
 * Where the credential has persons sign in, as the page shows it: that is what is confirmed, also where a key without all scopes has
 * pointed it elsewhere meanwhile.
 */
function placeOf({ provider, options }: Credential): { options?: Credential['options'] } {
  const place = serverOptionOf(provider, options)
  return place ? { options: place } : {}
}

const activate = {
  action: 'Activate credential',
  title: 'Activate this credential?',
  done: 'The credential is active.',
  consequences: [
    'From now on persons are offered this provider, and whom it vouches for signs in to all applications of the organization.',
    'If it came by a link, or from a key without all scopes, make sure that the client ID belongs to the customer: whoever controls the client at the provider controls who signs in.',
  ],
}

const deactivate = {
  action: 'Deactivate credential',
  title: 'Deactivate this credential?',
  done: 'The credential is inactive.',
  consequences: [
    'Nobody can sign in with it any more. Sessions and refresh tokens that came of it end, and applications with a logout URI are told: those persons sign in anew, with another credential.',
    'ID tokens that were issued stay valid until they expire. Persons and their identities stay as they are. It can be activated again.',
  ],
}
