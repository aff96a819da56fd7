import type { Group } from '@signet/management'
import { useCallback, useState } from 'react'
import { ChangesLink } from '../calls/changes-link.tsx'
import { Form, OpenedRecord } from '../calls/form.tsx'
import { Copyable } from '../design/copy.tsx'
import { Page, Panel, Stack } from '../design/page.tsx'
import { Properties } from '../design/properties.tsx'
import { Loaded, Notice } from '../design/state.tsx'
import { ShortText, Text } from '../design/text.tsx'
import { Time } from '../design/time.tsx'
import { notify } from '../design/toasts.tsx'
import { Link, useParams } from '../router/index.ts'
import type { Call } from '../service/signet.ts'
import { useConsoleAccess, useGuard } from '../session/console-access.ts'
import { type Role, roleNames } from '../session/roles.ts'
import { useIsAdmin, useMay } from '../session/session.ts'
import { type Keeper, KeeperLink, useKeeper } from '../sign-in/keeper.tsx'
import { DeleteGroup } from './delete-group.tsx'
import { DescriptionField } from './description-field.tsx'
import { GroupMembers } from './group-members.tsx'
import { useGroup } from './group-queries.ts'

export function Component() {
  const { name = '' } = useParams()
  return <GroupPage key={name} name={name} />
}

function GroupPage({ name }: { name: string }) {
  const guard = useGuard([name])
  const keeper = useKeeper({ group: name })
  const mayWrite = useMay('groups:write') && !guard && !keeper
  const query = useGroup(name)
  const role = useConsoleAccess().find(({ group: named }) => named === name)?.role
  const group = query.data?.result
  return (
    <Page
      title={name}
      heading={<ShortText>{name}</ShortText>}
      parent={{ to: '/groups', name: 'Groups' }}
      actions={
        group && (
          <>
            <ChangesLink target={group.name} />
            {mayWrite && <DeleteGroup group={group} isGuarded={role !== undefined} />}
          </>
        )
      }
    >
      <Loaded query={query} lines={8}>
        {({ result }) => (
          <>
            {keeper && <Kept keeper={keeper} />}
            {role && <Guarded role={role} />}
            <About group={result} mayWrite={mayWrite} />
            <GroupMembers name={result.name} isKept={keeper !== undefined} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

const Kept = ({ keeper }: { keeper: Keeper }) => (
  <Notice title="A directory keeps this group.">
    Only <KeeperLink keeper={keeper} /> changes it, and who is in it. Change it at the customer, where it may be called
    something else.
  </Notice>
)

/** Who is in the group may enter the console. */
function Guarded({ role }: { role: Role }) {
  const isAdmin = useIsAdmin()
  return (
    <Notice title={`Members may enter this console as ${roleNames[role].toLowerCase()}.`}>
      {!isAdmin && 'Only owners and admin keys change it, and who is in it. '}
      The group cannot be deleted before it is taken out of <Link to="/settings/administrators">Administrators</Link>.
    </Notice>
  )
}

function About({ group, mayWrite }: { group: Group; mayWrite: boolean }) {
  return (
    <Panel>
      <Stack>
        <Properties
          items={[
            ['Name', <Copyable key="name" text={group.name} of="name of the group" />],
            ['Members', group.members_count.toLocaleString()],
            ['Created', <Time key="created" at={group.created_at} />],
            ['Description', !mayWrite && <Text>{group.description || 'none'}</Text>],
          ]}
        />
        {mayWrite && (
          <OpenedRecord record={group}>
            {(opened, onSaved) => <DescriptionForm group={opened} onSaved={onSaved} />}
          </OpenedRecord>
        )}
      </Stack>
    </Panel>
  )
}

type DescriptionFormProps = { group: Group; onSaved: (group: Group) => void }

function DescriptionForm({ group: { name, description: before }, onSaved }: DescriptionFormProps) {
  const [description, setDescription] = useState(before)
  const call = useCallback<Call<{ result: Group }>>(
    (client) => client.changeGroup({ path: { group_name: name }, body: { description } }),
    [name, description],
  )
  const read: Call<object> = async (client) => ({
    description: (await client.getGroup({ path: { group_name: name } })).result.description,
  })
  const saved = ({ result }: { result: Group }) => {
    notify('The description is saved.')
    onSaved(result)
  }
  return (
    <Form
      fields={['description']}
      call={call}
      submit="Save description"
      disabled={description === before}
      onSaved={saved}
      opened={{ record: { description: before }, read }}
    >
      <DescriptionField value={description} onChange={setDescription} />
    </Form>
  )
}
