import type { Settings } from '@signet/management'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { AskingButton } from '../calls/asking-button.tsx'
import { Form } from '../calls/form.tsx'
import { FileField } from '../design/field.tsx'
import { Row } from '../design/page.tsx'
import type { Call } from '../service/signet.ts'
import { useIsAdmin } from '../session/session.ts'

const kinds = 'image/png,image/jpeg,image/webp'

/** The logo is set by itself: its body is the picture. */
export function LogoForm({ settings }: { settings: Settings }) {
  const isAdmin = useIsAdmin()
  const [file, setFile] = useState<File>()
  const queries = useQueryClient()
  const renew = () => queries.invalidateQueries({ queryKey: ['getSettings'] })
  const call = useCallback<Call>((client) => client.changeLogo({ body: file ?? new Blob() }), [file])
  return (
    <>
      <Form
        fields={[['body', 'logo']]}
        call={call}
        submit="Save logo"
        scope="settings:write"
        saved="The logo is saved."
        onSaved={renew}
        disabled={!file || !isAdmin}
      >
        <FileField
          name="logo"
          label="Logo"
          accept={kinds}
          disabled={!isAdmin}
          onChange={setFile}
          hint={`PNG, JPEG or WebP, at most 100 KiB, and at most 1,024 pixels wide and high.${isAdmin ? '' : ' Only admin keys and owners change it.'}`}
        />
      </Form>
      {settings.logo_url && isAdmin && (
        <Row>
          <AskingButton
            label="Delete logo"
            button={{ icon: 'trash', size: 'small' }}
            title="Delete the logo?"
            action="Delete logo"
            call={(client) => client.deleteLogo()}
            done="The logo is deleted."
            onDone={renew}
          >
            <p>The pages of a sign-in have the display name in its place.</p>
          </AskingButton>
        </Row>
      )}
    </>
  )
}
