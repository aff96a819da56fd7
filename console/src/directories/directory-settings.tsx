import type { Directory } from '@signet/management'
import { useCallback, useMemo, useState } from 'react'
import { Form, OpenedRecord } from '../calls/form.tsx'
import { changedMembers, isEmpty } from '../design/differences.ts'
import { SwitchField } from '../design/field.tsx'
import { Panel, Row, Stack } from '../design/page.tsx'
import type { Call } from '../service/signet.ts'
import { useIsAdmin, useMay } from '../session/session.ts'
import { DeleteDirectory } from './delete-directory.tsx'
import { bodyOf, DirectoryFields, draftOf, fieldNames } from './directory-fields.tsx'
import { useDirectory } from './directory-page.tsx'

/** What of a directory can be changed, and its end. */
export function Component() {
  const directory = useDirectory()
  return (
    <Stack>
      <Panel title="Settings" description="A change takes effect for the next request of the directory.">
        <OpenedRecord record={directory as Directory}>
          {(opened, onSaved) => <EditForm directory={opened} onSaved={onSaved} />}
        </OpenedRecord>
      </Panel>
      <Panel title="Delete">
        <Row>
          <DeleteDirectory directory={directory} />
        </Row>
      </Panel>
    </Stack>
  )
}

type EditFormProps = { directory: Directory; onSaved: (directory: Directory) => void }

function EditForm({ directory, onSaved }: EditFormProps) {
  const mayWrite = useMay('directories:write')
  const mayLetGoOn = useIsAdmin()
  const [draft, setDraft] = useState(() => draftOf(directory))
  const changes = useMemo(() => changedMembers(bodyOf(draftOf(directory)), bodyOf(draft)), [directory, draft])
  const path = useMemo(() => ({ id: directory.id }), [directory])
  const call: Call<{ result: Directory }> = useCallback(
    (signet) => signet.changeDirectory({ path, body: changes }),
    [path, changes],
  )
  const read: Call<object> = async (signet) => draftOf((await signet.getDirectory({ path })).result)
  return (
    <Form
      fields={fieldNames}
      call={call}
      submit="Save"
      saved="The directory is saved."
      onSaved={({ result }) => onSaved(result)}
      opened={{ record: draftOf(directory), read }}
      scope="directories:write"
      disabled={isEmpty(changes)}
    >
      <SwitchField
        name="enabled"
        label="Accept its requests"
        disabled={!mayWrite || !(directory.enabled || mayLetGoOn)}
        checked={draft.enabled}
        onChange={(enabled) => setDraft((before) => ({ ...before, enabled }))}
        hint="Off: its tokens are refused, and a first sign-in does not find whom it has made. Its persons and groups stay as they are meanwhile. Only admin keys and owners switch it on again."
      />
      <DirectoryFields draft={draft} onChange={(changed) => setDraft((before) => ({ ...before, ...changed }))} />
    </Form>
  )
}
