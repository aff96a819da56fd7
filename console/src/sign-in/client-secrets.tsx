import type { Application, ClientSecret, CreatedClientSecret } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { AskingButton } from '../calls/asking-button.tsx'
import { Panel } from '../design/page.tsx'
import { Loaded } from '../design/state.tsx'
import { type Column, Table } from '../design/table.tsx'
import { Soft } from '../design/text.tsx'
import { Ago } from '../design/time.tsx'
import { type Call, signet } from '../service/signet.ts'
import { useRefusal } from '../session/session.ts'
import { SecretDialog } from './secret-dialog.tsx'

/** Those of a confidential application: one, or two while one takes the place of the other. */
export function ClientSecrets({ application: { client_id } }: { application: Application }) {
  const secrets = useQuery({
    queryKey: ['listClientSecrets', client_id],
    queryFn: ({ signal }) => signet.listClientSecrets({ path: { client_id }, signal }),
    select: ({ result }) => result,
  })
  return (
    <Panel title="Client secrets" actions={<AddSecret clientId={client_id} />} flush>
      <Loaded query={secrets}>
        {(items) => (
          <Table
            items={items}
            caption="Client secrets"
            columns={columnsFor(client_id)}
            empty={null}
            keyOf={({ id }) => id}
          />
        )}
      </Loaded>
    </Panel>
  )
}

const columnsFor = (clientId: string): Column<ClientSecret>[] => [
  { head: 'Created', cell: ({ created_at }) => <Ago at={created_at} /> },
  { head: 'Expires', cell: ({ expires_at }) => (expires_at ? <Ago at={expires_at} /> : <Soft>never</Soft>) },
  { head: 'ID', cell: ({ id }) => id, minor: true },
  { head: 'Delete', cell: ({ id }) => <DeleteSecret clientId={clientId} id={id} /> },
]

function AddSecret({ clientId }: { clientId: string }) {
  const [secret, setSecret] = useState<string>()
  const call: Call<{ result: CreatedClientSecret }> = (signet) =>
    signet.createClientSecret({ path: { client_id: clientId }, body: {} })
  return (
    <>
      <AskingButton
        label="Add secret"
        button={{ icon: 'plus', size: 'small' }}
        refusal={useRefusal('applications:write')}
        title="Add a client secret?"
        action="Add secret"
        call={call}
        onDone={({ result }) => setSecret(result.client_secret)}
      >
        <p>
          The present secret goes on working beside it. Give the application the new one, then delete the old one. There
          are two at most.
        </p>
      </AskingButton>
      {secret && <SecretDialog clientId={clientId} secret={secret} onClose={() => setSecret(undefined)} />}
    </>
  )
}

function DeleteSecret({ clientId, id }: { clientId: string; id: string }) {
  return (
    <AskingButton
      label="Delete"
      button={{ icon: 'trash', size: 'small' }}
      refusal={useRefusal('applications:write')}
      title="Delete this client secret?"
      action="Delete secret"
      call={(signet) => signet.deleteClientSecret({ path: { client_id: clientId, secret_id: id } })}
      done="The client secret is deleted."
    >
      <p>It stops working at once. Sessions, and tokens that were issued, stay as they are.</p>
    </AskingButton>
  )
}
