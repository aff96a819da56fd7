import type { ApiKey } from '@signet/management'
import { useCallback, useState } from 'react'
import { Form } from '../calls/form.tsx'
import { Button } from '../design/button.tsx'
import { Dialog } from '../design/dialog.tsx'
import { TextField } from '../design/field.tsx'
import type { Call } from '../service/signet.ts'

/** A name can be changed at any time: it only tells people which key it is. */
export function RenameKey({ apiKey }: { apiKey: ApiKey }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button
        size="small"
        aria-label={apiKey.name ? `Rename ${apiKey.name}` : `Name the key ${apiKey.id}`}
        onClick={() => setOpen(true)}
      >
        {apiKey.name ? 'Rename' : 'Name it'}
      </Button>
      {isOpen && <RenameDialog apiKey={apiKey} onClose={() => setOpen(false)} />}
    </>
  )
}

const maxLength = 200

function RenameDialog({ apiKey: { id, name: before = '' }, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const [name, setName] = useState(before)
  const call = useCallback<Call>(
    (client) => client.changeApiKey({ path: { id }, body: { name: name.trim() } }),
    [id, name],
  )
  return (
    <Dialog isOpen title={before ? 'Rename the key' : 'Name the key'} onClose={onClose}>
      <Form
        fields={['name']}
        call={call}
        submit="Save name"
        scope="api-keys:write"
        saved="The name is saved."
        onSaved={onClose}
        onCancel={onClose}
        disabled={!name.trim() || name.trim() === before}
      >
        <TextField
          name="name"
          label="Name"
          value={name}
          onChange={setName}
          maxLength={maxLength}
          autoFocus
          hint="Of the program that uses it. The audit log shows it from then on."
        />
      </Form>
    </Dialog>
  )
}
