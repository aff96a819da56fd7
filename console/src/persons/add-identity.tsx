import { useQuery } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { Form } from '../calls/form.tsx'
import { Button } from '../design/button.tsx'
import { Dialog } from '../design/dialog.tsx'
import { TextField } from '../design/field.tsx'
import { type Call, signet } from '../service/signet.ts'
import { useIsAdmin } from '../session/session.ts'

/** Says beforehand with which account at a provider a person signs in. Only admin keys do. */
export function AddIdentity({ personId }: { personId: string }) {
  const [isOpen, setOpen] = useState(false)
  if (!useIsAdmin()) return null
  return (
    <>
      <Button icon="plus" onClick={() => setOpen(true)}>
        Add identity
      </Button>
      {isOpen && <AddIdentityDialog personId={personId} onClose={() => setOpen(false)} />}
    </>
  )
}

function AddIdentityDialog({ personId, onClose }: { personId: string; onClose: () => void }) {
  const [clientId, setClientId] = useState('')
  const [subject, setSubject] = useState('')
  const credentials = useQuery({
    queryKey: ['listOidcCredentials', {}],
    queryFn: ({ signal }) => signet.listOidcCredentials({ signal }),
  })
  const call = useCallback<Call>(
    (client) =>
      client.addPersonIdentity({ path: { person_id: personId }, body: { oauth_client_id: clientId, subject } }),
    [personId, clientId, subject],
  )
  return (
    <Dialog isOpen title="Add an identity" onClose={onClose}>
      <Form
        fields={['oauth_client_id', 'subject']}
        call={call}
        submit="Add identity"
        saved="The first sign-in with that account is of this person."
        onSaved={onClose}
        onCancel={onClose}
      >
        <TextField
          name="oauth_client_id"
          label="Client ID of the credential"
          value={clientId}
          onChange={setClientId}
          suggestions={credentials.data?.result.map(({ client_id }) => client_id) ?? []}
          required
          mono
          hint="Of the credential with which the person will sign in."
        />
        <TextField
          name="subject"
          label="Subject"
          value={subject}
          onChange={setSubject}
          required
          mono
          maxLength={255}
          hint="The permanent id of the account at the provider, not an address. At Entra: the object ID, and for a credential of many tenants the tenant's GUID and a colon before it."
        />
      </Form>
    </Dialog>
  )
}
