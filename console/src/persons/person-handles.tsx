import type { Person } from '@signet/management'
import { useCallback, useState } from 'react'
import { Badge } from '../design/badge.tsx'
import { Form } from '../design/form.tsx'
import { Panel, Row, Stack } from '../design/page.tsx'
import { Soft, Text } from '../design/text.tsx'
import { notify } from '../design/toasts.tsx'
import type { Call } from '../service/signet.ts'
import { useMay } from '../session/session.ts'
import { areChanged, fieldsOf, toHandles, toRows } from './handle-rows.ts'
import { HandlesField, VerifiedHint } from './handles-field.tsx'
import { usePersonChanged } from './person-queries.ts'

/** The handles of a person, edited where the key may. */
export function PersonHandles({ person }: { person: Person }) {
  const mayWrite = useMay('persons:write')
  const [edition, setEdition] = useState(0)
  if (!mayWrite)
    return (
      <Panel title="Handles">
        <HandleList person={person} />
      </Panel>
    )
  return (
    <Panel title="Handles" description={<VerifiedHint />}>
      <HandlesForm key={edition} person={person} onSaved={() => setEdition(edition + 1)} />
    </Panel>
  )
}

function HandlesForm({ person, onSaved }: { person: Person; onSaved: () => void }) {
  const changed = usePersonChanged()
  const [before] = useState(person.handles)
  const [rows, setRows] = useState(() => toRows(before))
  const { person_id } = person
  const call = useCallback<Call>(
    (client) => client.changePerson({ path: { person_id }, body: { handles: toHandles(rows, before) } }),
    [rows, before, person_id],
  )
  const read: Call<object> = async (client) => ({
    handles: (await client.getPerson({ path: { person_id } })).result.handles,
  })
  const save = async () => {
    await changed()
    notify('The handles are saved.')
    onSaved()
  }
  return (
    <Form
      fields={fieldsOf(rows)}
      call={call}
      submit="Save handles"
      disabled={!areChanged(rows, before)}
      onSaved={save}
      opened={{ record: { handles: before }, read }}
    >
      <HandlesField rows={rows} before={before} onChange={setRows} />
    </Form>
  )
}

function HandleList({ person: { handles } }: { person: Person }) {
  if (handles.length === 0) return <Soft>No handles.</Soft>
  return (
    <Stack>
      {handles.map(({ type, value, verified }) => (
        <Row key={type + value}>
          <Text>{value}</Text>
          {verified ? <Badge tone="good">verified</Badge> : <Badge>not verified</Badge>}
        </Row>
      ))}
    </Stack>
  )
}
