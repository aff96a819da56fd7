import type { CreatedConsoleInvitation } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ownersAmong, useAdministrators } from '../administrators/administrators.ts'
import { ButtonLink } from '../design/button.tsx'
import { Link } from '../router/index.ts'
import { signet } from '../service/signet.ts'
import { settingsQuery } from '../session/console-access.ts'
import type { ConsoleAccess } from '../session/roles.ts'
import { useIsAdmin } from '../session/session.ts'
import { InviteYourself } from './invite-yourself.tsx'
import { StepList } from './step-list.tsx'

const refreshMs = 3_000

/** From a key to administrators who are persons: the way to the second owner, who is there when the first one is not. */
export const AdministratorSteps = () => (useIsAdmin() ? <Steps /> : null)

function Steps() {
  const { data: settings } = useQuery({ ...settingsQuery, refetchInterval: refreshMs })
  const access = settings?.result.console_access
  return access && <StepsOf access={access} />
}

function StepsOf({ access }: { access: ConsoleAccess }) {
  const hasCredential = useHasCredential()
  const { data } = useAdministrators(access, refreshMs)
  const [invitation, setInvitation] = useState<CreatedConsoleInvitation>()
  const [isKnown, setKnown] = useState(false)
  if (data && !isKnown) setKnown(true)
  // While a group that was just let in is read for the first time, what was shown stays, and with it why an invitation failed.
  if (!isKnown || hasCredential === undefined) return null
  const owners = data ? ownersAmong(access, data).length : 0
  if (owners >= 2) return null
  return (
    <StepList
      title="To administrators with their own sign-in"
      steps={[
        {
          title: 'Add a credential: the provider by which you sign in',
          isDone: hasCredential || owners > 0,
          body: credential,
        },
        {
          title: 'Invite yourself',
          isDone: owners > 0,
          body: <InviteYourself access={access} invitation={invitation} onInvited={setInvitation} />,
        },
        { title: 'Invite a second owner', isDone: false, body: <SecondOwner access={access} /> },
      ]}
    />
  )
}

/** Undefined: not known yet. */
function useHasCredential(): boolean | undefined {
  const { data } = useQuery({
    queryKey: ['listOidcCredentials', {}],
    queryFn: ({ signal }) => signet.listOidcCredentials({ signal }),
    refetchInterval: refreshMs,
  })
  return data?.result.some(({ active }) => active)
}

const credential = (
  <>
    <p>
      Administrators sign in by a provider, such as Google or Entra, as persons do to your applications. Invitations
      need one that is active.
    </p>
    <ButtonLink to="/sign-in/credentials/new" tone="primary" icon="plus">
      Add credential
    </ButtonLink>
  </>
)

function SecondOwner({ access }: { access: ConsoleAccess }) {
  const { group = '' } = access.find(({ role }) => role === 'owner') ?? {}
  return (
    <>
      <p>An owner who is on leave, or leaves, must not be the only one.</p>
      <ButtonLink to={`/settings/administrators/invite?group=${encodeURIComponent(group)}`} tone="primary" icon="plus">
        Invite a second owner
      </ButtonLink>
      <p>
        Once owners can sign in you may also{' '}
        <Link to="/settings/administrators">switch off the sign-in with API keys</Link>.
      </p>
    </>
  )
}
