import type { Person } from '@signet/management'
import { useCallback, useState } from 'react'
import { Form, OpenedRecord } from '../calls/form.tsx'
import { Badge } from '../design/badge.tsx'
import { Panel, Row, Stack } from '../design/page.tsx'
import { Soft, Text } from '../design/text.tsx'
import { notify } from '../design/toasts.tsx'
import type { Call } from '../service/signet.ts'
import { useRefusal } from '../session/session.ts'
import { areChanged, fieldsOf, toHandles, toRows } from './handle-rows.ts'
import { HandlesField, VerifiedHint } from './handles-field.tsx'

/** The handles of a person, edited where the key may. */
export function PersonHandles({ person, guard }: { person: Person; guard: string | undefined }) {
  const refusal = useRefusal('persons:write') ?? guard
  if (refusal)
    return (
      <Panel title="Handles" description={refusal}>
        <HandleList person={person} />
      </Panel>
    )
  return (
    <Panel title="Handles" description={<VerifiedHint />}>
      <OpenedRecord record={person}>
        {(opened, onSaved) => <HandlesForm person={opened} onSaved={onSaved} />}
      </OpenedRecord>
    </Panel>
  )
}

function HandlesForm({
  person: { person_id, handles: before },
  onSaved,
}: {
  person: Person
  onSaved: (person: Person) => void
}) {
  const [rows, setRows] = useState(() => toRows(before))
  const call = useCallback<Call<{ result: Person }>>(
    (client) => client.changePerson({ path: { person_id }, body: { handles: toHandles(rows, before) } }),
    [rows, before, person_id],
  )
  const read: Call<object> = async (client) => ({
    handles: (await client.getPerson({ path: { person_id } })).result.handles,
  })
  const saved = ({ result }: { result: Person }) => {
    notify('The handles are saved.')
    onSaved(result)
  }
  return (
    <Form
      fields={fieldsOf(rows)}
      call={call}
      submit="Save handles"
      disabled={!areChanged(rows, before)}
      onSaved={saved}
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
