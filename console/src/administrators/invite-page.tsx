import type { CreatedConsoleInvitation } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { Form } from '../calls/form.tsx'
import { SelectField } from '../design/field.tsx'
import { Page, Panel } from '../design/page.tsx'
import { Loaded, Notice } from '../design/state.tsx'
import { Link, useNavigate, useSearchParams } from '../router/index.ts'
import type { Call } from '../service/signet.ts'
import { settingsQuery } from '../session/console-access.ts'
import { type ConsoleAccess, roleNames, whatRolesDo } from '../session/roles.ts'
import { useIsAdmin } from '../session/session.ts'
import { CreatedInvitationDialog } from './created-invitation.tsx'
import { onlyAdmins } from './only-admins.ts'

const lifetimes = [
  ['24h', 'One day'],
  ['72h', 'Three days'],
  ['168h', 'One week'],
] as const

export function Component() {
  const [invitation, setInvitation] = useState<CreatedConsoleInvitation>()
  const navigate = useNavigate()
  const query = useQuery(settingsQuery)
  return (
    <Page
      title="Invite an administrator"
      lead="The invitation is a link. Who opens it signs in as they do to your applications, becomes a member of the group, and enters this console with its role."
      parent={{ to: '/settings/administrators', name: 'Administrators' }}
    >
      <Panel>
        <Loaded query={query}>
          {({ result: { console_access: access } }) =>
            access.length > 0 ? <InviteForm access={access} onCreated={setInvitation} /> : <NoGroup />
          }
        </Loaded>
      </Panel>
      {invitation && (
        <CreatedInvitationDialog invitation={invitation} onClose={() => navigate('/settings/administrators')} />
      )}
    </Page>
  )
}

const NoGroup = () => (
  <Notice title="No group may enter yet.">
    Name one <Link to="/settings/administrators">under Administrators</Link> first, with its role.
  </Notice>
)

type InviteFormProps = { access: ConsoleAccess; onCreated: (invitation: CreatedConsoleInvitation) => void }

function InviteForm({ access, onCreated }: InviteFormProps) {
  const [address] = useSearchParams()
  const [chosen, setGroup] = useState(address.get('group'))
  const [expiresIn, setExpiresIn] = useState('72h')
  const isAdmin = useIsAdmin()
  const entry = access.find(({ group }) => group === chosen) ?? access[0]
  const group = entry?.group ?? ''
  const call = useCallback<Call<{ result: CreatedConsoleInvitation }>>(
    (client) => client.createConsoleInvitation({ body: { group, expires_in: expiresIn } }),
    [group, expiresIn],
  )
  return (
    <Form
      fields={['group', 'expires_in']}
      call={call}
      submit="Create invitation"
      onSaved={({ result }) => onCreated(result)}
      disabled={!isAdmin}
    >
      <SelectField
        name="group"
        label="Group"
        value={group}
        onChange={setGroup}
        disabled={!isAdmin}
        options={access.map((each) => [each.group, `${each.group}: ${roleNames[each.role]}`])}
        hint={entry && whatRolesDo[entry.role]}
      />
      <SelectField
        name="expires_in"
        label="Can be used for"
        value={expiresIn}
        onChange={setExpiresIn}
        disabled={!isAdmin}
        options={lifetimes}
        hint="By one person, once. Opening the page does not use it up; signing in does."
      />
      {!isAdmin && <Notice tone="warn">{onlyAdmins('invite')}</Notice>}
    </Form>
  )
}
