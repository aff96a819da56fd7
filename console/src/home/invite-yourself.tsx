import type { CreatedConsoleInvitation } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { without, withRole } from '../administrators/access-changes.ts'
import { InvitationLink } from '../administrators/created-invitation.tsx'
import { Form } from '../calls/form.tsx'
import { TextField } from '../design/field.tsx'
import { useSettled } from '../design/settled.ts'
import { Notice } from '../design/state.tsx'
import { type Call, signet } from '../service/signet.ts'
import type { ConsoleAccess } from '../session/roles.ts'

type Reply = { result: CreatedConsoleInvitation }

type InviteYourselfProps = {
  access: ConsoleAccess
  invitation: CreatedConsoleInvitation | undefined
  onInvited: (invitation: CreatedConsoleInvitation) => void
}

/** Makes a group of owners and an invitation to it. What is there of it from an earlier try stays. */
export function InviteYourself({ access, invitation, onInvited }: InviteYourselfProps) {
  if (!invitation) return <InviteForm access={access} onInvited={({ result }) => onInvited(result)} />
  return (
    <>
      <p>Open it in this browser or in another one, and sign in. This page notices when you are in.</p>
      <InvitationLink invitation={invitation} />
      <p>
        <a href={invitation.url}>Open the invitation</a>
      </p>
    </>
  )
}

function InviteForm({ access, onInvited }: { access: ConsoleAccess; onInvited: (reply: Reply) => void }) {
  const [typed, setTyped] = useState(access.find(({ role }) => role === 'owner')?.group ?? 'owners')
  const group = typed.trim()
  const call = useCallback<Call<Reply>>(
    async (client) => {
      await client.createGroup({ body: { name: group } })
      await client.changeSettings({ body: { console_access: withRole(access, { group, role: 'owner' }) } })
      return client.createConsoleInvitation({ body: { group } })
    },
    [access, group],
  )
  /** Of this group the first half may have been done before. */
  const read: Call<object> = async (client) => ({
    console_access: without((await client.getSettings()).result.console_access, group),
  })
  return (
    <Form
      fields={['name']}
      call={call}
      submit="Invite yourself"
      onSaved={onInvited}
      opened={{ record: { console_access: without(access, group) }, read }}
      disabled={!group}
    >
      <p>
        Makes this group, lets its members into the console as owners, and makes an invitation to it: a link by which
        one person becomes a member.
      </p>
      <TextField name="name" label="Name of the group" value={typed} onChange={setTyped} mono maxLength={100} />
      <PresentMembers group={useSettled(group)} />
    </Form>
  )
}

/** A group that has members makes owners of them all. */
function PresentMembers({ group }: { group: string }) {
  const { data } = useQuery({
    queryKey: ['listPersons', 'count', group],
    queryFn: ({ signal }) => signet.listPersons({ query: { group, limit: 1 }, signal }),
    enabled: group !== '',
    retry: false,
  })
  const count = data?.meta.pagination.total_count ?? 0
  if (count === 0) return null
  return (
    <Notice tone="warn">
      The group has members, {count.toLocaleString()} now: all of them become owners. Choose another name unless you
      mean that.
    </Notice>
  )
}
