import type { CountedDirectory, CreatedDirectoryToken, DirectoryToken } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { AskingButton } from '../calls/asking-button.tsx'
import { Form } from '../calls/form.tsx'
import { Button } from '../design/button.tsx'
import { Dialog } from '../design/dialog.tsx'
import { TextField } from '../design/field.tsx'
import { fromLocal } from '../design/local-time.ts'
import { Panel } from '../design/page.tsx'
import { ShownOnce } from '../design/shown-once.tsx'
import { Empty, Loaded } from '../design/state.tsx'
import { type Column, Table } from '../design/table.tsx'
import { ShortText, Soft } from '../design/text.tsx'
import { Ago } from '../design/time.tsx'
import { type Call, signet } from '../service/signet.ts'
import { useAdminRefusal } from '../session/session.ts'

type Of = { directory: CountedDirectory }

/** What a directory authenticates with: several while one takes the place of another. */
export function Tokens({ directory }: Of) {
  const { id } = directory
  const tokens = useQuery({
    queryKey: ['listDirectoryTokens', id],
    // There are 20 at most.
    queryFn: async ({ signal }) => (await signet.listDirectoryTokens({ path: { id }, signal })).result,
  })
  return (
    <Panel
      title="Tokens"
      description="To replace one without a gap: create a second, enter it in the customer’s directory, and revoke the first when the second is used. They open nothing but this directory."
      actions={<CreateToken directory={directory} />}
      flush
    >
      <Loaded query={tokens}>
        {(items) => (
          <Table items={items} caption="Tokens" columns={columnsOf(id)} empty={none} keyOf={({ id: token }) => token} />
        )}
      </Loaded>
    </Panel>
  )
}

const none = (
  <Empty title="There is no token." icon="keys">
    Create one and enter it in the customer’s directory, or make a link by which the customer’s administrator does both.
  </Empty>
)

const columnsOf = (directoryId: string): Column<DirectoryToken>[] => [
  { head: 'Name', cell: ({ name }) => (name ? <ShortText>{name}</ShortText> : <Soft>unnamed</Soft>) },
  { head: 'Created', cell: ({ created_at }) => <Ago at={created_at} /> },
  { head: 'Last used', cell: ({ last_used_at: at }) => (at ? <Ago at={at} /> : <Soft>never</Soft>) },
  { head: 'Expires', cell: ({ expires_at: at }) => (at ? <Ago at={at} /> : <Soft>never</Soft>) },
  { head: 'Revoke', cell: (token) => <RevokeToken directoryId={directoryId} token={token} />, align: 'end' },
]

function CreateToken({ directory }: Of) {
  const [isOpen, setOpen] = useState(false)
  const [created, setCreated] = useState<CreatedDirectoryToken>()
  const refusal = useAdminRefusal()
  const show = (token: CreatedDirectoryToken) => {
    setOpen(false)
    setCreated(token)
  }
  return (
    <>
      <Button icon="plus" disabled={refusal !== undefined} title={refusal} onClick={() => setOpen(true)}>
        Create token
      </Button>
      {isOpen && <NewTokenDialog directory={directory} onCreated={show} onClose={() => setOpen(false)} />}
      {created && (
        <ShownOnce
          title="The token"
          words="Signet keeps only a hash of it. Enter it in the customer’s directory; if it is lost, create another."
          texts={[
            ['SCIM address', directory.scim_url],
            ['Token', created.token],
          ]}
          done="I have copied it"
          onClose={() => setCreated(undefined)}
        />
      )}
    </>
  )
}

type NewTokenDialogProps = Of & { onCreated: (token: CreatedDirectoryToken) => void; onClose: () => void }

function NewTokenDialog({ directory: { id }, onCreated, onClose }: NewTokenDialogProps) {
  const [name, setName] = useState('')
  const [expiresAt, setExpiresAt] = useState('')
  const call = useCallback<Call<{ result: CreatedDirectoryToken }>>(
    (signet) => {
      const body = { name: name.trim() || undefined, expires_at: fromLocal(expiresAt) }
      return signet.createDirectoryToken({ path: { id }, body })
    },
    [id, name, expiresAt],
  )
  return (
    <Dialog isOpen title="Create a token" onClose={onClose}>
      <Form
        fields={['name', 'expires_at']}
        call={call}
        submit="Create token"
        onSaved={({ result }) => onCreated(result)}
        onCancel={onClose}
      >
        <TextField
          name="name"
          label="Name"
          maxLength={200}
          value={name}
          onChange={setName}
          placeholder="Okta"
          hint="Tells it from others here, and in the audit log."
        />
        <TextField
          name="expires_at"
          label="Expires"
          type="datetime-local"
          value={expiresAt}
          onChange={setExpiresAt}
          hint="In your time zone. Empty: it does not expire. Entra stops provisioning when its token expires."
        />
      </Form>
    </Dialog>
  )
}

function RevokeToken({ directoryId, token: { id, name } }: { directoryId: string; token: DirectoryToken }) {
  const refusal = useAdminRefusal()
  return (
    <AskingButton
      label="Revoke"
      button={{ tone: 'quiet', size: 'small', 'aria-label': `Revoke ${name ?? `the token ${id}`}` }}
      refusal={refusal}
      title={`Revoke ${name ?? `the token ${id}`}?`}
      action="Revoke token"
      call={(signet) => signet.revokeDirectoryToken({ path: { id: directoryId, token_id: id } })}
      done="The token is revoked."
    >
      <p>
        From the next request on it is refused. A directory that has no other token cannot switch anybody off here any
        more; Entra calls that quarantine, and tries once a day.
      </p>
    </AskingButton>
  )
}
