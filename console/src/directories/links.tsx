import type { CountedDirectory, CreatedDirectoryLink, DirectoryLink } from '@signet/management'
import { useQuery } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { AskingButton } from '../calls/asking-button.tsx'
import { Form } from '../calls/form.tsx'
import { Button } from '../design/button.tsx'
import { Dialog } from '../design/dialog.tsx'
import { SelectField, TextField } from '../design/field.tsx'
import { Panel } from '../design/page.tsx'
import { ShownOnce } from '../design/shown-once.tsx'
import { Empty, Loaded } from '../design/state.tsx'
import { type Column, Table } from '../design/table.tsx'
import { ShortText, Soft } from '../design/text.tsx'
import { Ago, Time } from '../design/time.tsx'
import { type Call, signet } from '../service/signet.ts'
import { useAdminRefusal, useSession } from '../session/session.ts'
import { messageForDirectory } from './link-message.ts'

type Of = { directory: CountedDirectory }

/** Through one, the customer's administrator makes the token, so that nobody else sees it. */
export function Links({ directory }: Of) {
  const { id } = directory
  const links = useQuery({
    queryKey: ['listDirectoryLinks', id],
    queryFn: async ({ signal }) => (await signet.listDirectoryLinks({ path: { id }, signal })).result,
  })
  return (
    <Panel
      title="Links for the customer’s administrator"
      description="Through a link, the customer’s administrator makes a token without a key, and sees where it goes. A link is gone once it is used, has expired or is deleted."
      actions={<CreateDirectoryLink directory={directory} />}
      flush
    >
      <Loaded query={links}>
        {(items) => (
          <Table
            items={items}
            caption="Open links for a token"
            columns={columnsOf(id)}
            empty={<Empty title="No link is open." icon="link" />}
            keyOf={({ id: link }) => link}
          />
        )}
      </Loaded>
    </Panel>
  )
}

const columnsOf = (directoryId: string): Column<DirectoryLink>[] => [
  { head: 'Token', cell: ({ name }) => (name ? <ShortText>{name}</ShortText> : <Soft>unnamed</Soft>) },
  { head: 'Created', cell: ({ created_at }) => <Ago at={created_at} /> },
  { head: 'Expires', cell: ({ expires_at }) => <Ago at={expires_at} /> },
  { head: 'Delete', cell: (link) => <DeleteDirectoryLink directoryId={directoryId} link={link} />, align: 'end' },
]

const lifetimes = [
  ['24h', 'One day'],
  ['72h', 'Three days'],
  ['168h', 'One week'],
] as const

function CreateDirectoryLink({ directory }: Of) {
  const [isOpen, setOpen] = useState(false)
  const [link, setLink] = useState<CreatedDirectoryLink>()
  const refusal = useAdminRefusal()
  const show = (created: CreatedDirectoryLink) => {
    setOpen(false)
    setLink(created)
  }
  return (
    <>
      <Button icon="link" disabled={refusal !== undefined} title={refusal} onClick={() => setOpen(true)}>
        Create link
      </Button>
      {isOpen && <NewLinkDialog directory={directory} onCreated={show} onClose={() => setOpen(false)} />}
      {link && <LinkDialog link={link} onClose={() => setLink(undefined)} />}
    </>
  )
}

type NewLinkDialogProps = Of & { onCreated: (link: CreatedDirectoryLink) => void; onClose: () => void }

function NewLinkDialog({ directory: { id }, onCreated, onClose }: NewLinkDialogProps) {
  const [name, setName] = useState('')
  const [expiresIn, setExpiresIn] = useState('72h')
  const call = useCallback<Call<{ result: CreatedDirectoryLink }>>(
    (signet) =>
      signet.createDirectoryLink({ path: { id }, body: { name: name.trim() || undefined, expires_in: expiresIn } }),
    [id, name, expiresIn],
  )
  return (
    <Dialog isOpen title="Create a link" onClose={onClose}>
      <Form
        fields={['name', 'expires_in']}
        call={call}
        submit="Create link"
        onSaved={({ result }) => onCreated(result)}
        onCancel={onClose}
      >
        <TextField
          name="name"
          label="Name of the token"
          maxLength={200}
          value={name}
          onChange={setName}
          placeholder="Okta"
          hint="Tells the token that is made from others here, and in the audit log."
        />
        <SelectField
          name="expires_in"
          label="Can be used for"
          value={expiresIn}
          options={lifetimes}
          onChange={setExpiresIn}
          hint="Opening the link does not use it up; making the token does."
        />
      </Form>
    </Dialog>
  )
}

/** The only time that the link is seen. */
function LinkDialog({ link, onClose }: { link: CreatedDirectoryLink; onClose: () => void }) {
  const { name: organization = 'Signet' } = useSession()
  return (
    <ShownOnce
      title="Send this link"
      words="Whoever has it can make a token of this directory, so send it to one person, in a way that others do not read."
      texts={[
        ['Link', link.url],
        ['Message to send', messageForDirectory({ organization, link })],
      ]}
      done="I have copied it"
      onClose={onClose}
    >
      <p>
        It can be used once, until <Time at={link.expires_at} />
      </p>
    </ShownOnce>
  )
}

function DeleteDirectoryLink({ directoryId, link: { id, name } }: { directoryId: string; link: DirectoryLink }) {
  const refusal = useAdminRefusal()
  return (
    <AskingButton
      button={{
        tone: 'quiet',
        size: 'small',
        icon: 'trash',
        title: refusal ?? 'Delete',
        'aria-label': `Delete the link for ${name ?? 'an unnamed token'}`,
      }}
      refusal={refusal}
      title="Delete this link?"
      action="Delete link"
      call={(signet) => signet.deleteDirectoryLink({ path: { id: directoryId, link_id: id } })}
      done="The link is deleted."
    >
      <p>Nobody can use it any more: whoever has it sees that it does not open anything.</p>
    </AskingButton>
  )
}
