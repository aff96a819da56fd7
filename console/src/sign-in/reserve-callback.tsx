import type { CreatedCredentialLink } from '@signet/management'
import { useMutation } from '@tanstack/react-query'
import { Button } from '../design/button.tsx'
import { Stack } from '../design/page.tsx'
import { Failure } from '../design/state.tsx'
import { Soft } from '../design/text.tsx'
import { CallbackUrl } from '../providers/callback-url.tsx'
import type { Provider } from '../providers/providers.ts'
import { signet } from '../service/signet.ts'
import { useIsAdmin } from '../session/session.ts'

type ReserveCallbackProps = {
  provider: Provider
  link: CreatedCredentialLink | undefined
  onReserved: (link: CreatedCredentialLink) => void
}

/**
 * A credential has its callback from the moment it exists; most providers ask for one before that. A credential link has
 * the callback of the credential that is made through it, so that the form may use one that this page makes.
 */
export function ReserveCallback({ provider, link, onReserved }: ReserveCallbackProps) {
  const isAdmin = useIsAdmin()
  const reserve = useMutation({
    mutationFn: () => signet.createCredentialLink({ body: { provider } }),
    onSuccess: ({ result }) => onReserved(result),
  })
  if (link) return <Reserved link={link} />
  return (
    <Stack>
      <p>
        Each credential has a callback of its own, which is known when it is created. If the provider asks for it
        before, get it now; otherwise register it afterwards.
      </p>
      <div>
        <Button icon="link" busy={reserve.isPending} disabled={!isAdmin} onClick={() => reserve.mutate()}>
          Get the callback URL now
        </Button>
      </div>
      {!isAdmin && (
        <Soft>
          Only admin keys and owners get it before. Enter a placeholder at the provider, and correct it once the
          credential exists.
        </Soft>
      )}
      {reserve.isError && <Failure error={reserve.error} />}
    </Stack>
  )
}

const Reserved = ({ link }: { link: CreatedCredentialLink }) => (
  <Stack>
    <CallbackUrl url={link.callback_url} />
    <Soft>
      Register exactly this address. It is kept for the credential that you create on this page, for 72 hours. The
      credential is inactive at first: test it, then activate it. If you leave the page without creating it, delete its
      link under Links.
    </Soft>
  </Stack>
)
