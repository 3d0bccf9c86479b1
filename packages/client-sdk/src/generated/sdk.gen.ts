// Generated from api-server/openapi.json by `npm run generate`; do not edit.
// @ts-nocheck

import { client } from './client.gen.ts';
import { buildClientParams, type Client, type ClientMeta, type Options as Options2, type RequestResult, type TDataShape, urlSearchParamsBodySerializer } from './client/index.ts';
import type { AlertEvent, AlertsGetErrors, AlertsGetResponses, AlertsPutErrors, AlertsPutResponses, AlertsTestErrors, AlertsTestResponses, ArtifactsBeginUploadErrors, ArtifactsBeginUploadResponses, ArtifactsCompleteUploadErrors, ArtifactsCompleteUploadResponses, ArtifactsDeleteErrors, ArtifactsDeleteResponses, ArtifactsGetErrors, ArtifactsGetResponses, ArtifactsPutErrors, ArtifactsPutResponses, ArtifactsTicketErrors, ArtifactsTicketResponses, BackupMakeErrors, BackupMakeResponses, ConnectorsClearStateErrors, ConnectorsClearStateResponses, ConnectorsDeleteKeyErrors, ConnectorsDeleteKeyResponses, ConnectorsListStateErrors, ConnectorsListStateResponses, DashboardContent, DashboardsCreateErrors, DashboardsCreateResponses, DashboardsDeleteErrors, DashboardsDeleteResponses, DashboardsDiscardErrors, DashboardsDiscardResponses, DashboardsDuplicateErrors, DashboardsDuplicateResponses, DashboardsFromFlowErrors, DashboardsFromFlowResponses, DashboardsGetErrors, DashboardsGetResponses, DashboardsListErrors, DashboardsListResponses, DashboardsPublishErrors, DashboardsPublishResponses, DashboardsRenameErrors, DashboardsRenameResponses, DashboardsSaveErrors, DashboardsSaveResponses, DevicesCreateErrors, DevicesCreateResponses, DevicesDeleteErrors, DevicesDeleteResponses, DevicesGetErrors, DevicesGetResponses, DevicesListErrors, DevicesListResponses, DevicesPairErrors, DevicesPairResponses, DevicesReportErrors, DevicesReportResponses, DevicesRuntimeErrors, DevicesRuntimeResponses, DevicesSaveErrors, DevicesSaveResponses, DevicesUnpairErrors, DevicesUnpairResponses, EnginesListErrors, EnginesListResponses, FlavorsCreateErrors, FlavorsCreateResponses, FlavorsDeleteErrors, FlavorsDeleteResponses, FlavorsListErrors, FlavorsListResponses, FlavorsUpdateErrors, FlavorsUpdateResponses, FlowDocument, FlowsDeleteErrors, FlowsDeleteResponses, FlowsDiffErrors, FlowsDiffResponses, FlowsDiscardDraftErrors, FlowsDiscardDraftResponses, FlowsDuplicateErrors, FlowsDuplicateResponses, FlowsGetErrors, FlowsGetResponses, FlowsGraphErrors, FlowsGraphResponses, FlowsListErrors, FlowsListResponses, FlowsNodesAcknowledgeErrors, FlowsNodesAcknowledgeResponses, FlowsNodesCancelErrors, FlowsNodesCancelResponses, FlowsNodesGetSourceErrors, FlowsNodesGetSourceResponses, FlowsNodesLogsErrors, FlowsNodesLogsResponses, FlowsNodesPutSourceErrors, FlowsNodesPutSourceResponses, FlowsNodesShareErrors, FlowsNodesShareResponses, FlowsNodesTriggerErrors, FlowsNodesTriggerResponses, FlowsNodesUnshareErrors, FlowsNodesUnshareResponses, FlowsNodeTypesErrors, FlowsNodeTypesResponses, FlowsPauseErrors, FlowsPauseResponses, FlowsPublishErrors, FlowsPublishResponses, FlowsRenameErrors, FlowsRenameResponses, FlowsRestoreErrors, FlowsRestoreResponses, FlowsResumeErrors, FlowsResumeResponses, FlowsRunErrors, FlowsRunResponses, FlowsSaveErrors, FlowsSaveLayoutErrors, FlowsSaveLayoutResponses, FlowsSaveResponses, FlowsStartErrors, FlowsStartResponses, FlowsStepErrors, FlowsStepResponses, FlowsStopErrors, FlowsStopResponses, FlowsTryErrors, FlowsTryResponses, FlowsValidateErrors, FlowsValidateResponses, FlowsVersionErrors, FlowsVersionResponses, FlowsVersionsErrors, FlowsVersionsResponses, FlowsWsTicketErrors, FlowsWsTicketResponses, ImportedRun, JsonValue, KeysCreateErrors, KeysCreateResponses, KeysListErrors, KeysListResponses, KeysRevokeErrors, KeysRevokeResponses, LibraryDeleteErrors, LibraryDeleteResponses, LibraryListErrors, LibraryListResponses, LoginAccessTokenErrors, LoginAccessTokenResponses, LoginCodeErrors, LoginCodeResponses, LoginMethodsErrors, LoginMethodsResponses, LoginOidcCallbackErrors, LoginOidcCallbackResponses, LoginOidcErrors, LoginOidcResponses, LoginOidcTokenErrors, LoginOidcTokenResponses, LoginRecoverPasswordErrors, LoginRecoverPasswordResponses, LoginResetPasswordErrors, LoginResetPasswordResponses, LoginTestTokenErrors, LoginTestTokenResponses, MessagesHistoryErrors, MessagesHistoryResponses, MessagesListErrors, MessagesListResponses, MessagesPublishErrors, MessagesPublishResponses, MetricsCompareErrors, MetricsCompareManyErrors, MetricsCompareManyResponses, MetricsCompareResponses, MetricsExportErrors, MetricsExportResponses, MetricsNamesErrors, MetricsNamesResponses, ModulesApplyErrors, ModulesApplyResponses, ModulesGetErrors, ModulesGetResponses, NodePosition, OauthAddClientErrors, OauthAddClientResponses, OauthListClientsErrors, OauthListClientsResponses, OauthListTokensErrors, OauthListTokensResponses, OauthMintTokenErrors, OauthMintTokenResponses, OauthRemoveClientErrors, OauthRemoveClientResponses, OauthRevokeTokenErrors, OauthRevokeTokenResponses, ObservabilityCascadesErrors, ObservabilityCascadesResponses, ObservabilityDeadLetterErrors, ObservabilityDeadLetterResponses, ObservabilityDismissErrors, ObservabilityDismissResponses, ObservabilityEventsErrors, ObservabilityEventsResponses, ObservabilityFlowsErrors, ObservabilityFlowsResponses, ObservabilityFlushErrors, ObservabilityFlushResponses, ObservabilityReplayErrors, ObservabilityReplayManyErrors, ObservabilityReplayManyResponses, ObservabilityReplayResponses, ObservabilitySummaryErrors, ObservabilitySummaryResponses, ObservabilityTimeseriesErrors, ObservabilityTimeseriesResponses, PairByCode, PairByRequest, PairingInspectErrors, PairingInspectResponses, PairingPendingErrors, PairingPendingResponses, PairingPollErrors, PairingPollResponses, PairingStartErrors, PairingStartResponses, PanelsGetErrors, PanelsGetResponses, PanelsPollPairingErrors, PanelsPollPairingResponses, PanelsStartPairingErrors, PanelsStartPairingResponses, RunsAppendErrors, RunsAppendResponses, RunsCancelErrors, RunsCancelResponses, RunsDeleteAllErrors, RunsDeleteAllResponses, RunsDeleteErrors, RunsDeleteResponses, RunsDocumentErrors, RunsDocumentResponses, RunsExportErrors, RunsExportResponses, RunsGetErrors, RunsGetResponses, RunsImportErrors, RunsImportResponses, RunsListErrors, RunsListResponses, RunsMetricsErrors, RunsMetricsResponses, RunsNodeLogsErrors, RunsNodeLogsResponses, RunsNodeOutputsErrors, RunsNodeOutputsResponses, RunsOverviewErrors, RunsOverviewResponses, RunsPlanErrors, RunsPlanResponses, RunsRetryErrors, RunsRetryResponses, RunsSubmitErrors, RunsSubmitResponses, RunsSweepErrors, RunsSweepResponses, RunsTrackErrors, RunsTrackResponses, RunsUpdateErrors, RunsUpdateManyErrors, RunsUpdateManyResponses, RunsUpdateResponses, RunTag, Scope, SecretRef, SecretsDeleteErrors, SecretsDeleteResponses, SecretsListErrors, SecretsListResponses, SecretsSetErrors, SecretsSetResponses, SecretsUsageErrors, SecretsUsageResponses, TrackedArtifact, TrackedCurve, UsersChangePasswordErrors, UsersChangePasswordResponses, UsersCreateErrors, UsersCreateResponses, UsersDeleteErrors, UsersDeleteResponses, UsersListErrors, UsersListResponses, UsersMeErrors, UsersMeResponses, UsersUpdateErrors, UsersUpdateResponses, UtilsHealthErrors, UtilsHealthResponses, WorkersListErrors, WorkersListResponses, WorkersListTokensErrors, WorkersListTokensResponses, WorkersMintTokenErrors, WorkersMintTokenResponses, WorkersProvisionersReadTestErrors, WorkersProvisionersReadTestResponses, WorkersProvisionersReloadErrors, WorkersProvisionersReloadResponses, WorkersProvisionersTestErrors, WorkersProvisionersTestResponses, WorkersResourcesErrors, WorkersResourcesResponses, WorkersRevokeTokenErrors, WorkersRevokeTokenResponses, WorkersRuntimeErrors, WorkersRuntimeResponses } from './types.gen.ts';

export type Options<TData extends TDataShape = TDataShape, ThrowOnError extends boolean = boolean, TResponse = unknown> = Options2<TData, ThrowOnError, TResponse> & {
    /**
     * You can provide a client instance returned by `createClient()` instead of
     * individual options. This might be also useful if you want to implement a
     * custom client.
     */
    client?: Client;
    /**
     * You can pass arbitrary values through the `meta` object. This can be
     * used to access values that aren't defined as part of the SDK function.
     */
    meta?: keyof ClientMeta extends never ? Record<string, unknown> : ClientMeta;
};

class HeyApiClient {
    protected client: Client;
    
    constructor(args?: {
        client?: Client;
    }) {
        this.client = args?.client ?? client;
    }
}

class HeyApiRegistry<T> {
    private readonly defaultKey = 'default';
    
    private readonly instances: Map<string, T> = new Map();
    
    get(key?: string): T {
        const instance = this.instances.get(key ?? this.defaultKey);
        if (!instance) {
            throw new Error(`No SDK client found. Create one with "new GeneratedClient()" to fix this error.`);
        }
        return instance;
    }
    
    set(value: T, key?: string): void {
        this.instances.set(key ?? this.defaultKey, value);
    }
}

export class Login extends HeyApiClient {
    /**
     * Sign in
     *
     * OAuth 2.0 password grant (RFC 6749, section 4.3); other fields of that grant are ignored.
     */
    public accessToken<ThrowOnError extends boolean = true>(parameters: {
        username: string;
        password: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<LoginAccessTokenResponses, LoginAccessTokenErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'body', key: 'username' }, { in: 'body', key: 'password' }] }]);
        return (options?.client ?? this.client).post<LoginAccessTokenResponses, LoginAccessTokenErrors, ThrowOnError, 'data'>({
            ...urlSearchParamsBodySerializer,
            responseStyle: 'data',
            url: '/login/access-token',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/x-www-form-urlencoded',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Exchange the code of a development engine
     *
     * By a code that `service dev` has put behind `#dev=`, from the same machine, once and within 60 seconds. Other environments than `local` give none.
     */
    public code<ThrowOnError extends boolean = true>(parameters: {
        code: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<LoginCodeResponses, LoginCodeErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'body', key: 'code' }] }]);
        return (options?.client ?? this.client).post<LoginCodeResponses, LoginCodeErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            url: '/login/code',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Check a token
     */
    public testToken<ThrowOnError extends boolean = true>(options?: Options<never, ThrowOnError>): RequestResult<LoginTestTokenResponses, LoginTestTokenErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).post<LoginTestTokenResponses, LoginTestTokenErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/login/test-token',
            ...options
        });
    }
    
    /**
     * Ask for a link to set a new password
     *
     * The answer is the same whether or not there is such a user; at most 5 links an hour are mailed to one.
     */
    public recoverPassword<ThrowOnError extends boolean = true>(parameters: {
        email: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<LoginRecoverPasswordResponses, LoginRecoverPasswordErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'email' }] }]);
        return (options?.client ?? this.client).post<LoginRecoverPasswordResponses, LoginRecoverPasswordErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            url: '/password-recovery/{email}',
            ...options,
            ...params
        });
    }
    
    /**
     * Set a password by a link
     *
     * The link of a recovery or of an invite; it works once. All sessions of the user end.
     */
    public resetPassword<ThrowOnError extends boolean = true>(parameters: {
        token: string;
        new_password: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<LoginResetPasswordResponses, LoginResetPasswordErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'body', key: 'token' }, { in: 'body', key: 'new_password' }] }]);
        return (options?.client ?? this.client).post<LoginResetPasswordResponses, LoginResetPasswordErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            url: '/reset-password/',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Tell how people sign in here
     */
    public methods<ThrowOnError extends boolean = true>(options?: Options<never, ThrowOnError>): RequestResult<LoginMethodsResponses, LoginMethodsErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<LoginMethodsResponses, LoginMethodsErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            url: '/login/methods',
            ...options
        });
    }
    
    /**
     * Sign in by OpenID Connect
     *
     * To be opened by a browser, which is sent to the provider, and comes back to `return_to` with `#code=` or `#error=`. The code is exchanged by `POST /login/oidc/token`.
     */
    public oidc<ThrowOnError extends boolean = true>(parameters?: {
        return_to?: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<LoginOidcResponses, LoginOidcErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'query', key: 'return_to' }] }]);
        return (options?.client ?? this.client).get<LoginOidcResponses, LoginOidcErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            url: '/login/oidc',
            ...options,
            ...params
        });
    }
    
    /**
     * Come back from the OpenID provider
     *
     * To be registered at the provider as the redirect URI. The words of `#error=` are denied, expired, provider, no_email, unverified, domain, inactive.
     */
    public oidcCallback<ThrowOnError extends boolean = true>(options?: Options<never, ThrowOnError>): RequestResult<LoginOidcCallbackResponses, LoginOidcCallbackErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<LoginOidcCallbackResponses, LoginOidcCallbackErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            url: '/login/oidc/callback',
            ...options
        });
    }
    
    /**
     * Exchange the code of a sign-in
     *
     * A code works once, within 60 seconds.
     */
    public oidcToken<ThrowOnError extends boolean = true>(parameters: {
        code: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<LoginOidcTokenResponses, LoginOidcTokenErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'body', key: 'code' }] }]);
        return (options?.client ?? this.client).post<LoginOidcTokenResponses, LoginOidcTokenErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            url: '/login/oidc/token',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
}

export class Users extends HeyApiClient {
    /**
     * Who is signed in
     */
    public me<ThrowOnError extends boolean = true>(options?: Options<never, ThrowOnError>): RequestResult<UsersMeResponses, UsersMeErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<UsersMeResponses, UsersMeErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/users/me',
            ...options
        });
    }
    
    /**
     * List users
     */
    public list<ThrowOnError extends boolean = true>(options?: Options<never, ThrowOnError>): RequestResult<UsersListResponses, UsersListErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<UsersListResponses, UsersListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/users',
            ...options
        });
    }
    
    /**
     * Add a user
     *
     * Without a password they are invited: by a mail, or by the link of the answer where no mailer is set.
     */
    public create<ThrowOnError extends boolean = true>(parameters: {
        email: string;
        full_name?: string | null;
        is_superuser?: boolean;
        password?: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<UsersCreateResponses, UsersCreateErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'body', key: 'email' },
                    { in: 'body', key: 'full_name' },
                    { in: 'body', key: 'is_superuser' },
                    { in: 'body', key: 'password' }
                ] }]);
        return (options?.client ?? this.client).post<UsersCreateResponses, UsersCreateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/users',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Delete a user
     *
     * Their sessions end. Flows, runs and the audit trail keep their name.
     */
    public delete<ThrowOnError extends boolean = true>(parameters: {
        id: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<UsersDeleteResponses, UsersDeleteErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'id' }] }]);
        return (options?.client ?? this.client).delete<UsersDeleteResponses, UsersDeleteErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/users/{id}',
            ...options,
            ...params
        });
    }
    
    /**
     * Change a user
     *
     * A new password, and a deactivation, end all sessions of the user.
     */
    public update<ThrowOnError extends boolean = true>(parameters: {
        id: string;
        full_name?: string | null;
        is_active?: boolean;
        is_superuser?: boolean;
        password?: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<UsersUpdateResponses, UsersUpdateErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'path', key: 'id' },
                    { in: 'body', key: 'full_name' },
                    { in: 'body', key: 'is_active' },
                    { in: 'body', key: 'is_superuser' },
                    { in: 'body', key: 'password' }
                ] }]);
        return (options?.client ?? this.client).patch<UsersUpdateResponses, UsersUpdateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/users/{id}',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Change one’s own password
     *
     * All other sessions end.
     */
    public changePassword<ThrowOnError extends boolean = true>(parameters: {
        current_password: string;
        new_password: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<UsersChangePasswordResponses, UsersChangePasswordErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'body', key: 'current_password' }, { in: 'body', key: 'new_password' }] }]);
        return (options?.client ?? this.client).post<UsersChangePasswordResponses, UsersChangePasswordErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/users/me/password',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
}

export class Keys extends HeyApiClient {
    /**
     * List API keys
     *
     * Your own without their texts, those that are revoked or have expired among them.
     */
    public list<ThrowOnError extends boolean = true>(parameters?: {
        all?: boolean;
    }, options?: Options<never, ThrowOnError>): RequestResult<KeysListResponses, KeysListErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'query', key: 'all' }] }]);
        return (options?.client ?? this.client).get<KeysListResponses, KeysListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/keys',
            ...options,
            ...params
        });
    }
    
    /**
     * Make an API key
     *
     * A program that sends it is signed in as you, within the scopes of the key: it is never more than you are at the time. Agents make no keys.
     */
    public create<ThrowOnError extends boolean = true>(parameters: {
        name: string;
        scopes: Array<Scope>;
        expires_in_days?: number | null;
    }, options?: Options<never, ThrowOnError>): RequestResult<KeysCreateResponses, KeysCreateErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'body', key: 'name' },
                    { in: 'body', key: 'scopes' },
                    { in: 'body', key: 'expires_in_days' }
                ] }]);
        return (options?.client ?? this.client).post<KeysCreateResponses, KeysCreateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/keys',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Revoke an API key
     *
     * Requests with it are refused from now on, and its sockets close. Revoking it again changes nothing. Superusers revoke those of others too.
     */
    public revoke<ThrowOnError extends boolean = true>(parameters: {
        id: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<KeysRevokeResponses, KeysRevokeErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'id' }] }]);
        return (options?.client ?? this.client).post<KeysRevokeResponses, KeysRevokeErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/keys/{id}/revoke',
            ...options,
            ...params
        });
    }
}

export class Oauth extends HeyApiClient {
    /**
     * List agents that are let in
     *
     * Yours, or those of everybody for a superuser; without the texts of their tokens.
     */
    public listTokens<ThrowOnError extends boolean = true>(parameters?: {
        all?: boolean;
    }, options?: Options<never, ThrowOnError>): RequestResult<OauthListTokensResponses, OauthListTokensErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'query', key: 'all' }] }]);
        return (options?.client ?? this.client).get<OauthListTokensResponses, OauthListTokensErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/oauth/tokens',
            ...options,
            ...params
        });
    }
    
    /**
     * Make a token for an agent
     *
     * It acts for you, within its scopes and never beyond what you may yourself. An agent makes no tokens. A new password leaves it as it is; a deactivated account ends it.
     */
    public mintToken<ThrowOnError extends boolean = true>(parameters: {
        client: string;
        scopes: Array<Scope>;
        expires_in_days?: number;
    }, options?: Options<never, ThrowOnError>): RequestResult<OauthMintTokenResponses, OauthMintTokenErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'body', key: 'client' },
                    { in: 'body', key: 'scopes' },
                    { in: 'body', key: 'expires_in_days' }
                ] }]);
        return (options?.client ?? this.client).post<OauthMintTokenResponses, OauthMintTokenErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/oauth/tokens',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * End an agent
     *
     * With all its tokens; its sockets are closed. Your own agents, anybody’s for a superuser. Again, it changes nothing.
     */
    public revokeToken<ThrowOnError extends boolean = true>(parameters: {
        id: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<OauthRevokeTokenResponses, OauthRevokeTokenErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'id' }] }]);
        return (options?.client ?? this.client).post<OauthRevokeTokenResponses, OauthRevokeTokenErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/oauth/tokens/{id}/revoke',
            ...options,
            ...params
        });
    }
    
    /**
     * List programs that may ask to be let in
     */
    public listClients<ThrowOnError extends boolean = true>(options?: Options<never, ThrowOnError>): RequestResult<OauthListClientsResponses, OauthListClientsErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<OauthListClientsResponses, OauthListClientsErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/oauth/clients',
            ...options
        });
    }
    
    /**
     * Let a program ask to be let in
     *
     * It asks users in their browser, as a public client of OAuth 2.1: without a secret, by PKCE.
     */
    public addClient<ThrowOnError extends boolean = true>(parameters: {
        name: string;
        redirect_uris: Array<string>;
    }, options?: Options<never, ThrowOnError>): RequestResult<OauthAddClientResponses, OauthAddClientErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'body', key: 'name' }, { in: 'body', key: 'redirect_uris' }] }]);
        return (options?.client ?? this.client).post<OauthAddClientResponses, OauthAddClientErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/oauth/clients',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Forget a program
     *
     * What users have let it do is revoked.
     */
    public removeClient<ThrowOnError extends boolean = true>(parameters: {
        id: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<OauthRemoveClientResponses, OauthRemoveClientErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'id' }] }]);
        return (options?.client ?? this.client).delete<OauthRemoveClientResponses, OauthRemoveClientErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/oauth/clients/{id}',
            ...options,
            ...params
        });
    }
}

export class Nodes extends HeyApiClient {
    /**
     * Trigger a node
     *
     * Feeds the named input ports together, or publishes on the named output ports; without values the node acts by itself.
     */
    public trigger<ThrowOnError extends boolean = true>(parameters: {
        name: string;
        id: string;
        values?: {
            [key: string]: JsonValue;
        };
    }, options?: Options<never, ThrowOnError>): RequestResult<FlowsNodesTriggerResponses, FlowsNodesTriggerErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'path', key: 'name' },
                    { in: 'path', key: 'id' },
                    { in: 'body', key: 'values' }
                ] }]);
        return (options?.client ?? this.client).post<FlowsNodesTriggerResponses, FlowsNodesTriggerErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/flows/{name}/nodes/{id}/trigger',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * End what a node executes
     *
     * Its process is ended. The execution leaves no failure marker.
     */
    public cancel<ThrowOnError extends boolean = true>(parameters: {
        name: string;
        id: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<FlowsNodesCancelResponses, FlowsNodesCancelErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'name' }, { in: 'path', key: 'id' }] }]);
        return (options?.client ?? this.client).post<FlowsNodesCancelResponses, FlowsNodesCancelErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/flows/{name}/nodes/{id}/cancel',
            ...options,
            ...params
        });
    }
    
    /**
     * Clear a node’s failure marker
     */
    public acknowledge<ThrowOnError extends boolean = true>(parameters: {
        name: string;
        id: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<FlowsNodesAcknowledgeResponses, FlowsNodesAcknowledgeErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'name' }, { in: 'path', key: 'id' }] }]);
        return (options?.client ?? this.client).post<FlowsNodesAcknowledgeResponses, FlowsNodesAcknowledgeErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/flows/{name}/nodes/{id}/acknowledge',
            ...options,
            ...params
        });
    }
    
    /**
     * Read what a node of a live flow has printed
     *
     * Since the engine started: the last 65,536 bytes of each node, and 16 MiB of all nodes. After a start of the engine offsets begin at 0 again. `ended` is true while the flow is not active.
     */
    public logs<ThrowOnError extends boolean = true>(parameters: {
        name: string;
        node: string;
        after?: number;
        limit?: number;
    }, options?: Options<never, ThrowOnError>): RequestResult<FlowsNodesLogsResponses, FlowsNodesLogsErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'path', key: 'name' },
                    { in: 'path', key: 'node' },
                    { in: 'query', key: 'after' },
                    { in: 'query', key: 'limit' }
                ] }]);
        return (options?.client ?? this.client).get<FlowsNodesLogsResponses, FlowsNodesLogsErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/flows/{name}/nodes/{node}/logs',
            ...options,
            ...params
        });
    }
    
    /**
     * Read the code of a node
     *
     * The node of the draft, or of the published content where there is no draft.
     */
    public getSource<ThrowOnError extends boolean = true>(parameters: {
        name: string;
        id: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<FlowsNodesGetSourceResponses, FlowsNodesGetSourceErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'name' }, { in: 'path', key: 'id' }] }]);
        return (options?.client ?? this.client).get<FlowsNodesGetSourceResponses, FlowsNodesGetSourceErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/flows/{name}/nodes/{id}/source',
            ...options,
            ...params
        });
    }
    
    /**
     * Replace the code of a node
     *
     * Private code stays in the draft until it is published. Shared code acts at once on every user, whose nodes in active flows are made anew; it is refused when a published user could not execute it.
     */
    public putSource<ThrowOnError extends boolean = true>(parameters: {
        name: string;
        id: string;
        code: string;
        version?: number;
    }, options?: Options<never, ThrowOnError>): RequestResult<FlowsNodesPutSourceResponses, FlowsNodesPutSourceErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'path', key: 'name' },
                    { in: 'path', key: 'id' },
                    { in: 'body', key: 'code' },
                    { in: 'body', key: 'version' }
                ] }]);
        return (options?.client ?? this.client).put<FlowsNodesPutSourceResponses, FlowsNodesPutSourceErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/flows/{name}/nodes/{id}/source',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Share the code of a node
     *
     * The code becomes a source of the library, which the node uses from then on.
     */
    public share<ThrowOnError extends boolean = true>(parameters: {
        path_name: string;
        id: string;
        body_name?: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<FlowsNodesShareResponses, FlowsNodesShareErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    {
                        in: 'path',
                        key: 'path_name',
                        map: 'name'
                    },
                    { in: 'path', key: 'id' },
                    {
                        in: 'body',
                        key: 'body_name',
                        map: 'name'
                    }
                ] }]);
        return (options?.client ?? this.client).post<FlowsNodesShareResponses, FlowsNodesShareErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/flows/{name}/nodes/{id}/share',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Give a node its own copy of shared code
     */
    public unshare<ThrowOnError extends boolean = true>(parameters: {
        name: string;
        id: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<FlowsNodesUnshareResponses, FlowsNodesUnshareErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'name' }, { in: 'path', key: 'id' }] }]);
        return (options?.client ?? this.client).post<FlowsNodesUnshareResponses, FlowsNodesUnshareErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/flows/{name}/nodes/{id}/unshare',
            ...options,
            ...params
        });
    }
}

export class Flows extends HeyApiClient {
    /**
     * List flows
     */
    public list<ThrowOnError extends boolean = true>(options?: Options<never, ThrowOnError>): RequestResult<FlowsListResponses, FlowsListErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<FlowsListResponses, FlowsListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/flows/',
            ...options
        });
    }
    
    /**
     * List node types
     *
     * `params` is the JSON Schema of a type’s settings.
     */
    public nodeTypes<ThrowOnError extends boolean = true>(options?: Options<never, ThrowOnError>): RequestResult<FlowsNodeTypesResponses, FlowsNodeTypesErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<FlowsNodeTypesResponses, FlowsNodeTypesErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/flows/node-types',
            ...options
        });
    }
    
    /**
     * Read the graph of flows
     *
     * Edges lead from where messages belong, or come from, to where they are read.
     */
    public graph<ThrowOnError extends boolean = true>(options?: Options<never, ThrowOnError>): RequestResult<FlowsGraphResponses, FlowsGraphErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<FlowsGraphResponses, FlowsGraphErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/flows/graph',
            ...options
        });
    }
    
    /**
     * Delete a flow
     *
     * An active flow is stopped first. Its runs stay.
     */
    public delete<ThrowOnError extends boolean = true>(parameters: {
        name: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<FlowsDeleteResponses, FlowsDeleteErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'name' }] }]);
        return (options?.client ?? this.client).delete<FlowsDeleteResponses, FlowsDeleteErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/flows/{name}',
            ...options,
            ...params
        });
    }
    
    /**
     * Read a flow
     *
     * The draft if there is one, else the published content.
     */
    public get<ThrowOnError extends boolean = true>(parameters: {
        name: string;
        published?: boolean;
    }, options?: Options<never, ThrowOnError>): RequestResult<FlowsGetResponses, FlowsGetErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'name' }, { in: 'query', key: 'published' }] }]);
        return (options?.client ?? this.client).get<FlowsGetResponses, FlowsGetErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/flows/{name}',
            ...options,
            ...params
        });
    }
    
    /**
     * Save a draft
     *
     * Replaces the whole content. `version` is the version that was read, 0 for a new flow. Errors of the graph are stored and listed in `issues`. Where nothing but `layout` differs, only that is stored: there is no draft and no new version.
     */
    public save<ThrowOnError extends boolean = true>(parameters: {
        name: string;
        flowDocument: FlowDocument;
    }, options?: Options<never, ThrowOnError>): RequestResult<FlowsSaveResponses, FlowsSaveErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'name' }, { key: 'flowDocument', map: 'body' }] }]);
        return (options?.client ?? this.client).put<FlowsSaveResponses, FlowsSaveErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/flows/{name}',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Save where nodes are drawn
     *
     * Replaces the whole layout, of a flow that is defined in code too. It is no change of the flow: there is no draft, no new version, and nothing is made anew.
     */
    public saveLayout<ThrowOnError extends boolean = true>(parameters: {
        name: string;
        nodes: {
            [key: string]: NodePosition;
        };
    }, options?: Options<never, ThrowOnError>): RequestResult<FlowsSaveLayoutResponses, FlowsSaveLayoutErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'name' }, { in: 'body', key: 'nodes' }] }]);
        return (options?.client ?? this.client).put<FlowsSaveLayoutResponses, FlowsSaveLayoutErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/flows/{name}/layout',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Publish the draft
     *
     * Of an active flow the nodes that have changed are made anew, and what comes to them waits; all others go on, and last values stay. When a node of the new content does not start, nothing is published.
     */
    public publish<ThrowOnError extends boolean = true>(parameters: {
        name: string;
        version: number;
        restart?: boolean;
    }, options?: Options<never, ThrowOnError>): RequestResult<FlowsPublishResponses, FlowsPublishErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'path', key: 'name' },
                    { in: 'body', key: 'version' },
                    { in: 'body', key: 'restart' }
                ] }]);
        return (options?.client ?? this.client).post<FlowsPublishResponses, FlowsPublishErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/flows/{name}/publish',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Discard the draft
     *
     * The published content is the current one again, under a new version: a save over the discarded draft conflicts.
     */
    public discardDraft<ThrowOnError extends boolean = true>(parameters: {
        name: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<FlowsDiscardDraftResponses, FlowsDiscardDraftErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'name' }] }]);
        return (options?.client ?? this.client).post<FlowsDiscardDraftResponses, FlowsDiscardDraftErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/flows/{name}/discard-draft',
            ...options,
            ...params
        });
    }
    
    /**
     * Rename a flow
     *
     * Messages with their values, runs and the references of other flows and of dashboards follow. An active flow is made anew; of others those nodes that name its messages, and what comes to them meanwhile waits.
     */
    public rename<ThrowOnError extends boolean = true>(parameters: {
        path_name: string;
        body_name: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<FlowsRenameResponses, FlowsRenameErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{
                        in: 'path',
                        key: 'path_name',
                        map: 'name'
                    }, {
                        in: 'body',
                        key: 'body_name',
                        map: 'name'
                    }] }]);
        return (options?.client ?? this.client).post<FlowsRenameResponses, FlowsRenameErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/flows/{name}/rename',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Copy a flow
     *
     * The current content becomes the draft of a new flow. Copies with code or environment variables take a superuser.
     */
    public duplicate<ThrowOnError extends boolean = true>(parameters: {
        path_name: string;
        body_name?: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<FlowsDuplicateResponses, FlowsDuplicateErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{
                        in: 'path',
                        key: 'path_name',
                        map: 'name'
                    }, {
                        in: 'body',
                        key: 'body_name',
                        map: 'name'
                    }] }]);
        return (options?.client ?? this.client).post<FlowsDuplicateResponses, FlowsDuplicateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/flows/{name}/duplicate',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Check the draft, or a document
     *
     * Without a body the draft, or the published content where there is no draft. A flow document is checked as if it were the draft, and stored nowhere. Executes nothing of the flow.
     */
    public validate<ThrowOnError extends boolean = true>(parameters: {
        name: string;
        flowDocument?: FlowDocument;
    }, options?: Options<never, ThrowOnError>): RequestResult<FlowsValidateResponses, FlowsValidateErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'name' }, { key: 'flowDocument', map: 'body' }] }]);
        return (options?.client ?? this.client).post<FlowsValidateResponses, FlowsValidateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/flows/{name}/validate',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Start a live flow
     *
     * Its published content becomes active, and will be again after a restart of the engine.
     */
    public start<ThrowOnError extends boolean = true>(parameters: {
        name: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<FlowsStartResponses, FlowsStartErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'name' }] }]);
        return (options?.client ?? this.client).post<FlowsStartResponses, FlowsStartErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/flows/{name}/start',
            ...options,
            ...params
        });
    }
    
    /**
     * Stop a live flow
     */
    public stop<ThrowOnError extends boolean = true>(parameters: {
        name: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<FlowsStopResponses, FlowsStopErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'name' }] }]);
        return (options?.client ?? this.client).post<FlowsStopResponses, FlowsStopErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/flows/{name}/stop',
            ...options,
            ...params
        });
    }
    
    /**
     * Hold the deliveries of an active flow
     *
     * Executions that run go on to their end. Held deliveries survive a restart; beyond 1,000 the oldest become dead letters.
     */
    public pause<ThrowOnError extends boolean = true>(parameters: {
        name: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<FlowsPauseResponses, FlowsPauseErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'name' }] }]);
        return (options?.client ?? this.client).post<FlowsPauseResponses, FlowsPauseErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/flows/{name}/pause',
            ...options,
            ...params
        });
    }
    
    /**
     * Release what a paused flow holds
     */
    public resume<ThrowOnError extends boolean = true>(parameters: {
        name: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<FlowsResumeResponses, FlowsResumeErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'name' }] }]);
        return (options?.client ?? this.client).post<FlowsResumeResponses, FlowsResumeErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/flows/{name}/resume',
            ...options,
            ...params
        });
    }
    
    /**
     * Release the oldest held delivery
     *
     * What it causes is held again.
     */
    public step<ThrowOnError extends boolean = true>(parameters: {
        name: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<FlowsStepResponses, FlowsStepErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'name' }] }]);
        return (options?.client ?? this.client).post<FlowsStepResponses, FlowsStepErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/flows/{name}/step',
            ...options,
            ...params
        });
    }
    
    /**
     * Run the draft once
     *
     * A batch flow: queues a draft run, `inputs` being its parameters. A live flow: runs by itself until it is quiet, at most 30 s and at most 8 at a time, without listeners and schedules; nothing reaches the catalogue or other flows, but its nodes really send.
     */
    public run<ThrowOnError extends boolean = true>(parameters: {
        name: string;
        inputs?: {
            [key: string]: JsonValue;
        };
    }, options?: Options<never, ThrowOnError>): RequestResult<FlowsRunResponses, FlowsRunErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'name' }, { in: 'body', key: 'inputs' }] }]);
        return (options?.client ?? this.client).post<FlowsRunResponses, FlowsRunErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/flows/{name}/run',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Try the draft
     *
     * As `run`, for keys and tokens that may submit runs: a live flow with a node whose work must not be done twice, as that of a `push`, takes the scope `flows:publish`.
     */
    public try<ThrowOnError extends boolean = true>(parameters: {
        name: string;
        inputs?: {
            [key: string]: JsonValue;
        };
    }, options?: Options<never, ThrowOnError>): RequestResult<FlowsTryResponses, FlowsTryErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'name' }, { in: 'body', key: 'inputs' }] }]);
        return (options?.client ?? this.client).post<FlowsTryResponses, FlowsTryErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/flows/{name}/try',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * List published versions
     *
     * Newest first. The newest 100 are kept, or as many as the service is set to keep.
     */
    public versions<ThrowOnError extends boolean = true>(parameters: {
        name: string;
        before?: number;
        limit?: number;
    }, options?: Options<never, ThrowOnError>): RequestResult<FlowsVersionsResponses, FlowsVersionsErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'path', key: 'name' },
                    { in: 'query', key: 'before' },
                    { in: 'query', key: 'limit' }
                ] }]);
        return (options?.client ?? this.client).get<FlowsVersionsResponses, FlowsVersionsErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/flows/{name}/versions',
            ...options,
            ...params
        });
    }
    
    /**
     * Read a published version
     */
    public version<ThrowOnError extends boolean = true>(parameters: {
        name: string;
        version: number;
    }, options?: Options<never, ThrowOnError>): RequestResult<FlowsVersionResponses, FlowsVersionErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'name' }, { in: 'path', key: 'version' }] }]);
        return (options?.client ?? this.client).get<FlowsVersionResponses, FlowsVersionErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/flows/{name}/versions/{version}',
            ...options,
            ...params
        });
    }
    
    /**
     * Tell what has changed since a version
     */
    public diff<ThrowOnError extends boolean = true>(parameters: {
        name: string;
        version: number;
        to?: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<FlowsDiffResponses, FlowsDiffErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'path', key: 'name' },
                    { in: 'path', key: 'version' },
                    { in: 'query', key: 'to' }
                ] }]);
        return (options?.client ?? this.client).get<FlowsDiffResponses, FlowsDiffErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/flows/{name}/versions/{version}/diff',
            ...options,
            ...params
        });
    }
    
    /**
     * Make a published version the draft
     *
     * As if its document were saved: whoever may not change code may not bring other code back. A node is linked to the library only while that has the code of then; else it gets that code as its own. The layout stays.
     */
    public restore<ThrowOnError extends boolean = true>(parameters: {
        name: string;
        path_version: number;
        body_version: number;
    }, options?: Options<never, ThrowOnError>): RequestResult<FlowsRestoreResponses, FlowsRestoreErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'path', key: 'name' },
                    {
                        in: 'path',
                        key: 'path_version',
                        map: 'version'
                    },
                    {
                        in: 'body',
                        key: 'body_version',
                        map: 'version'
                    }
                ] }]);
        return (options?.client ?? this.client).post<FlowsRestoreResponses, FlowsRestoreErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/flows/{name}/versions/{version}/restore',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Get a ticket for the event socket
     *
     * For browsers, which cannot send a header with a WebSocket. It works once, within 30 seconds.
     */
    public wsTicket<ThrowOnError extends boolean = true>(options?: Options<never, ThrowOnError>): RequestResult<FlowsWsTicketResponses, FlowsWsTicketErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).post<FlowsWsTicketResponses, FlowsWsTicketErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/flows/ws-ticket',
            ...options
        });
    }
    
    private _nodes?: Nodes;
    get nodes(): Nodes {
        return this._nodes ??= new Nodes({ client: this.client });
    }
}

export class Library extends HeyApiClient {
    /**
     * List shared sources
     */
    public list<ThrowOnError extends boolean = true>(options?: Options<never, ThrowOnError>): RequestResult<LibraryListResponses, LibraryListErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<LibraryListResponses, LibraryListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/flows/library',
            ...options
        });
    }
    
    /**
     * Delete a shared source
     */
    public delete<ThrowOnError extends boolean = true>(parameters: {
        name: string;
        detach?: boolean;
    }, options?: Options<never, ThrowOnError>): RequestResult<LibraryDeleteResponses, LibraryDeleteErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'name' }, { in: 'query', key: 'detach' }] }]);
        return (options?.client ?? this.client).delete<LibraryDeleteResponses, LibraryDeleteErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/flows/library/{name}',
            ...options,
            ...params
        });
    }
}

export class Messages extends HeyApiClient {
    /**
     * List messages
     *
     * Every message that a published flow declares, with its last value.
     */
    public list<ThrowOnError extends boolean = true>(parameters?: {
        flow?: string;
        prefix?: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<MessagesListResponses, MessagesListErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'query', key: 'flow' }, { in: 'query', key: 'prefix' }] }]);
        return (options?.client ?? this.client).get<MessagesListResponses, MessagesListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/messages/',
            ...options,
            ...params
        });
    }
    
    /**
     * Publish a value
     *
     * Feeds the flows that read the message. The answer comes when the value is stored as last value and history; `cascade` is null when nothing active reads the message. A device publishes what its ports send alone, by qualified names.
     */
    public publish<ThrowOnError extends boolean = true>(parameters: {
        message: string;
        value: JsonValue;
    }, options?: Options<never, ThrowOnError>): RequestResult<MessagesPublishResponses, MessagesPublishErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'message' }, { in: 'body', key: 'value' }] }]);
        return (options?.client ?? this.client).post<MessagesPublishResponses, MessagesPublishErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/messages/{message}',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Read the history of a message
     *
     * Newest first: the last 1,000 values of at most 7 days. Values over 64 kB are null and `truncated`.
     */
    public history<ThrowOnError extends boolean = true>(parameters: {
        message: string;
        limit?: number;
        before?: string;
        since?: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<MessagesHistoryResponses, MessagesHistoryErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'path', key: 'message' },
                    { in: 'query', key: 'limit' },
                    { in: 'query', key: 'before' },
                    { in: 'query', key: 'since' }
                ] }]);
        return (options?.client ?? this.client).get<MessagesHistoryResponses, MessagesHistoryErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/messages/{message}/history',
            ...options,
            ...params
        });
    }
}

export class Runs extends HeyApiClient {
    /**
     * Queue a run
     *
     * Answers at once with the queued run. A known `idempotency_key` answers with the run it named first.
     */
    public submit<ThrowOnError extends boolean = true>(parameters: {
        name: string;
        params?: {
            [key: string]: JsonValue;
        };
        seed?: number;
        draft?: boolean;
        no_cache?: boolean;
        priority?: number;
        idempotency_key?: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<RunsSubmitResponses, RunsSubmitErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'path', key: 'name' },
                    { in: 'body', key: 'params' },
                    { in: 'body', key: 'seed' },
                    { in: 'body', key: 'draft' },
                    { in: 'body', key: 'no_cache' },
                    { in: 'body', key: 'priority' },
                    { in: 'body', key: 'idempotency_key' }
                ] }]);
        return (options?.client ?? this.client).post<RunsSubmitResponses, RunsSubmitErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/runs/flows/{name}',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Tell what a run or sweep would execute
     *
     * Which nodes would execute, which are cached, and why, in dependency order. Takes and refuses what a submission or sweep does; executes and stores nothing.
     */
    public plan<ThrowOnError extends boolean = true>(parameters: {
        name: string;
        params?: {
            [key: string]: JsonValue;
        };
        seed?: number;
        runs?: Array<{
            [key: string]: JsonValue;
        }>;
        seeds?: Array<number>;
        draft?: boolean;
        no_cache?: boolean;
    }, options?: Options<never, ThrowOnError>): RequestResult<RunsPlanResponses, RunsPlanErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'path', key: 'name' },
                    { in: 'body', key: 'params' },
                    { in: 'body', key: 'seed' },
                    { in: 'body', key: 'runs' },
                    { in: 'body', key: 'seeds' },
                    { in: 'body', key: 'draft' },
                    { in: 'body', key: 'no_cache' }
                ] }]);
        return (options?.client ?? this.client).post<RunsPlanResponses, RunsPlanErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/runs/flows/{name}/plan',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Delete a finished run with its records
     */
    public delete<ThrowOnError extends boolean = true>(parameters: {
        id: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<RunsDeleteResponses, RunsDeleteErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'id' }] }]);
        return (options?.client ?? this.client).delete<RunsDeleteResponses, RunsDeleteErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/runs/{id}',
            ...options,
            ...params
        });
    }
    
    /**
     * Get a run with its nodes, result and artifacts
     */
    public get<ThrowOnError extends boolean = true>(parameters: {
        id: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<RunsGetResponses, RunsGetErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'id' }] }]);
        return (options?.client ?? this.client).get<RunsGetResponses, RunsGetErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/runs/{id}',
            ...options,
            ...params
        });
    }
    
    /**
     * Change the note, the tags, the pin or the archiving of a run
     *
     * What is left out stays. The run may be in any state.
     */
    public update<ThrowOnError extends boolean = true>(parameters: {
        id: string;
        note?: string;
        tags?: Array<RunTag>;
        pinned?: boolean;
        archived?: boolean;
    }, options?: Options<never, ThrowOnError>): RequestResult<RunsUpdateResponses, RunsUpdateErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'path', key: 'id' },
                    { in: 'body', key: 'note' },
                    { in: 'body', key: 'tags' },
                    { in: 'body', key: 'pinned' },
                    { in: 'body', key: 'archived' }
                ] }]);
        return (options?.client ?? this.client).patch<RunsUpdateResponses, RunsUpdateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/runs/{id}',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Cancel a run
     *
     * A finished run is answered unchanged.
     */
    public cancel<ThrowOnError extends boolean = true>(parameters: {
        id: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<RunsCancelResponses, RunsCancelErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'id' }] }]);
        return (options?.client ?? this.client).post<RunsCancelResponses, RunsCancelErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/runs/{id}/cancel',
            ...options,
            ...params
        });
    }
    
    /**
     * Get the curves of a run
     *
     * Points one by one; with `points` columns.
     */
    public metrics<ThrowOnError extends boolean = true>(parameters: {
        id: string;
        name?: string;
        stride?: number;
        points?: number;
        after_step?: number;
    }, options?: Options<never, ThrowOnError>): RequestResult<RunsMetricsResponses, RunsMetricsErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'path', key: 'id' },
                    { in: 'query', key: 'name' },
                    { in: 'query', key: 'stride' },
                    { in: 'query', key: 'points' },
                    { in: 'query', key: 'after_step' }
                ] }]);
        return (options?.client ?? this.client).get<RunsMetricsResponses, RunsMetricsErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/runs/{id}/metrics',
            ...options,
            ...params
        });
    }
    
    /**
     * Delete the runs of a flow
     *
     * Refused while one of them is queued or running. Runs that are submitted meanwhile stay.
     */
    public deleteAll<ThrowOnError extends boolean = true>(parameters: {
        flow: string;
        history?: boolean;
    }, options?: Options<never, ThrowOnError>): RequestResult<RunsDeleteAllResponses, RunsDeleteAllErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'query', key: 'flow' }, { in: 'query', key: 'history' }] }]);
        return (options?.client ?? this.client).delete<RunsDeleteAllResponses, RunsDeleteAllErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/runs',
            ...options,
            ...params
        });
    }
    
    /**
     * List runs
     *
     * The newest first, unless `sort` tells otherwise. `Link rel="next"` has the address of the next page. A filter is a list of terms with spaces between them, which all have to hold: a field (`params.lr`, `results.f1`, `metrics.loss`, `metrics.loss:min`, `:max`, `:count`, `id`, `tags`, `note`, `seed`, `duration_s`, `submitted_by`, `external_id`, `group_id`, `parent`, `origin`, `pinned`), one of `= != < <= > >= ~`, and a value (a number, `NaN`, `true`, `false`, `null`, a word, a string in double quotes as in JSON; `*` is any). `~` is: contains, in letters A to Z of any case. A value of another type does not match, nor does a missing one.
     */
    public list<ThrowOnError extends boolean = true>(parameters?: {
        limit?: number;
        before?: string;
        since?: string;
        flow?: string;
        status?: string;
        group?: string;
        digest?: string;
        archived?: 'false' | 'true' | 'any';
        filter?: string;
        sort?: string;
        include?: string;
        cursor?: string;
        offset?: number;
        at?: number;
    }, options?: Options<never, ThrowOnError>): RequestResult<RunsListResponses, RunsListErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'query', key: 'limit' },
                    { in: 'query', key: 'before' },
                    { in: 'query', key: 'since' },
                    { in: 'query', key: 'flow' },
                    { in: 'query', key: 'status' },
                    { in: 'query', key: 'group' },
                    { in: 'query', key: 'digest' },
                    { in: 'query', key: 'archived' },
                    { in: 'query', key: 'filter' },
                    { in: 'query', key: 'sort' },
                    { in: 'query', key: 'include' },
                    { in: 'query', key: 'cursor' },
                    { in: 'query', key: 'offset' },
                    { in: 'query', key: 'at' }
                ] }]);
        return (options?.client ?? this.client).get<RunsListResponses, RunsListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/runs',
            ...options,
            ...params
        });
    }
    
    /**
     * Change tags, pins or the archiving of many runs
     *
     * Of all of them, or of none.
     */
    public updateMany<ThrowOnError extends boolean = true>(parameters: {
        ids: Array<string>;
        add_tags?: Array<RunTag>;
        remove_tags?: Array<RunTag>;
        pinned?: boolean;
        archived?: boolean;
    }, options?: Options<never, ThrowOnError>): RequestResult<RunsUpdateManyResponses, RunsUpdateManyErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'body', key: 'ids' },
                    { in: 'body', key: 'add_tags' },
                    { in: 'body', key: 'remove_tags' },
                    { in: 'body', key: 'pinned' },
                    { in: 'body', key: 'archived' }
                ] }]);
        return (options?.client ?? this.client).patch<RunsUpdateManyResponses, RunsUpdateManyErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/runs',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Get the document that a run executed
     *
     * None of imported runs, and of runs of a draft before they start.
     */
    public document<ThrowOnError extends boolean = true>(parameters: {
        id: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<RunsDocumentResponses, RunsDocumentErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'id' }] }]);
        return (options?.client ?? this.client).get<RunsDocumentResponses, RunsDocumentErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/runs/{id}/document',
            ...options,
            ...params
        });
    }
    
    /**
     * Begin a run that another program executes
     *
     * The run is `running`, and stays so while its program tells of it at least every 60 seconds. The same `id` again is answered with the run that it names.
     */
    public track<ThrowOnError extends boolean = true>(parameters: {
        id?: string;
        flow: string;
        params?: {
            [key: string]: JsonValue;
        };
        seed?: number;
        note?: string;
        tags?: Array<RunTag>;
        commit?: string;
        started_at?: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<RunsTrackResponses, RunsTrackErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'body', key: 'id' },
                    { in: 'body', key: 'flow' },
                    { in: 'body', key: 'params' },
                    { in: 'body', key: 'seed' },
                    { in: 'body', key: 'note' },
                    { in: 'body', key: 'tags' },
                    { in: 'body', key: 'commit' },
                    { in: 'body', key: 'started_at' }
                ] }]);
        return (options?.client ?? this.client).post<RunsTrackResponses, RunsTrackErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/runs/track',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Tell what a tracked run has done
     *
     * Takes in the next of what its program sends: all of it, or nothing. What was sent before is answered, and ignored; where something is missing between, `version_conflict` tells the last that is stored. Only who began the run may tell of it.
     */
    public append<ThrowOnError extends boolean = true>(parameters: {
        id: string;
        seq: number;
        metrics?: Array<TrackedCurve>;
        params?: {
            [key: string]: JsonValue;
        };
        result?: {
            [key: string]: JsonValue;
        };
        logs?: string;
        artifacts?: Array<TrackedArtifact>;
        status?: 'ok' | 'error' | 'cancelled';
        error?: {
            /**
             * For programs: the class of an exception.
             */
            type: string;
            /**
             * For people.
             */
            message: string;
        };
    }, options?: Options<never, ThrowOnError>): RequestResult<RunsAppendResponses, RunsAppendErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'path', key: 'id' },
                    { in: 'body', key: 'seq' },
                    { in: 'body', key: 'metrics' },
                    { in: 'body', key: 'params' },
                    { in: 'body', key: 'result' },
                    { in: 'body', key: 'logs' },
                    { in: 'body', key: 'artifacts' },
                    { in: 'body', key: 'status' },
                    { in: 'body', key: 'error' }
                ] }]);
        return (options?.client ?? this.client).post<RunsAppendResponses, RunsAppendErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/runs/{id}/track',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Queue a run for each of many params
     *
     * All runs are queued under a common `group_id`, or none: a bad entry is named by its place.
     */
    public sweep<ThrowOnError extends boolean = true>(parameters: {
        name: string;
        runs: Array<{
            [key: string]: JsonValue;
        }>;
        seeds?: Array<number>;
        draft?: boolean;
        no_cache?: boolean;
        priority?: number;
    }, options?: Options<never, ThrowOnError>): RequestResult<RunsSweepResponses, RunsSweepErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'path', key: 'name' },
                    { in: 'body', key: 'runs' },
                    { in: 'body', key: 'seeds' },
                    { in: 'body', key: 'draft' },
                    { in: 'body', key: 'no_cache' },
                    { in: 'body', key: 'priority' }
                ] }]);
        return (options?.client ?? this.client).post<RunsSweepResponses, RunsSweepErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/runs/flows/{name}/sweep',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Run again with the values of a finished run
     *
     * The new run has the inputs, seed, group and priority of the old one, which is its `parent`, and executes the flow as it is now. Stages that did not change are taken from the cache.
     */
    public retry<ThrowOnError extends boolean = true>(parameters: {
        id: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<RunsRetryResponses, RunsRetryErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'id' }] }]);
        return (options?.client ?? this.client).post<RunsRetryResponses, RunsRetryErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/runs/{id}/retry',
            ...options,
            ...params
        });
    }
    
    /**
     * Take in runs that ended elsewhere
     *
     * Stores all entries or none, and executes nothing. A known `external_id` answers with its run, whatever else the entry says.
     */
    public import<ThrowOnError extends boolean = true>(parameters: {
        runs: Array<ImportedRun>;
    }, options?: Options<never, ThrowOnError>): RequestResult<RunsImportResponses, RunsImportErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'body', key: 'runs' }] }]);
        return (options?.client ?? this.client).post<RunsImportResponses, RunsImportErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/runs/import',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Count the runs of each flow
     *
     * Batch flows, and deleted flows that have runs, by name. `avg_duration_s` is of the runs that ended `ok`.
     */
    public overview<ThrowOnError extends boolean = true>(options?: Options<never, ThrowOnError>): RequestResult<RunsOverviewResponses, RunsOverviewErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<RunsOverviewResponses, RunsOverviewErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/runs/overview',
            ...options
        });
    }
    
    /**
     * Get what a node of a run returned
     *
     * Kept of nodes that succeeded, may be cached and returned at most 262,144 bytes of JSON; else 404.
     */
    public nodeOutputs<ThrowOnError extends boolean = true>(parameters: {
        id: string;
        node: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<RunsNodeOutputsResponses, RunsNodeOutputsErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'id' }, { in: 'path', key: 'node' }] }]);
        return (options?.client ?? this.client).get<RunsNodeOutputsResponses, RunsNodeOutputsErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/runs/{id}/nodes/{node}/outputs',
            ...options,
            ...params
        });
    }
    
    /**
     * Read what a node of a run has printed
     *
     * The last 65,536 bytes are kept; all of a longer log is an artifact of the run, `<node>.log`. Ask again with `after` set to `next` until the answer has no text and `ended` is true.
     */
    public nodeLogs<ThrowOnError extends boolean = true>(parameters: {
        id: string;
        node: string;
        after?: number;
        limit?: number;
    }, options?: Options<never, ThrowOnError>): RequestResult<RunsNodeLogsResponses, RunsNodeLogsErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'path', key: 'id' },
                    { in: 'path', key: 'node' },
                    { in: 'query', key: 'after' },
                    { in: 'query', key: 'limit' }
                ] }]);
        return (options?.client ?? this.client).get<RunsNodeLogsResponses, RunsNodeLogsErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/runs/{id}/nodes/{node}/logs',
            ...options,
            ...params
        });
    }
    
    /**
     * Export runs, a row for each
     *
     * The newest 10,000 runs of the selection. In CSV, texts that a spreadsheet would calculate begin with `'`.
     */
    public export<ThrowOnError extends boolean = true>(parameters?: {
        flow?: string;
        status?: string;
        group?: string;
        digest?: string;
        ids?: string;
        archived?: 'false' | 'true' | 'any';
        since?: string;
        before?: string;
        format?: 'csv' | 'jsonl';
        until?: string;
        params?: string;
        metrics?: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<RunsExportResponses, RunsExportErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'query', key: 'flow' },
                    { in: 'query', key: 'status' },
                    { in: 'query', key: 'group' },
                    { in: 'query', key: 'digest' },
                    { in: 'query', key: 'ids' },
                    { in: 'query', key: 'archived' },
                    { in: 'query', key: 'since' },
                    { in: 'query', key: 'before' },
                    { in: 'query', key: 'format' },
                    { in: 'query', key: 'until' },
                    { in: 'query', key: 'params' },
                    { in: 'query', key: 'metrics' }
                ] }]);
        return (options?.client ?? this.client).get<RunsExportResponses, RunsExportErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/runs/export/runs',
            ...options,
            ...params
        });
    }
}

export class Metrics extends HeyApiClient {
    /**
     * List the metrics of runs
     *
     * Names of curves in the newest 10,000 runs of the selection, and how many of these have them.
     */
    public names<ThrowOnError extends boolean = true>(parameters?: {
        flow?: string;
        status?: string;
        group?: string;
        digest?: string;
        ids?: string;
        archived?: 'false' | 'true' | 'any';
        since?: string;
        before?: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<MetricsNamesResponses, MetricsNamesErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'query', key: 'flow' },
                    { in: 'query', key: 'status' },
                    { in: 'query', key: 'group' },
                    { in: 'query', key: 'digest' },
                    { in: 'query', key: 'ids' },
                    { in: 'query', key: 'archived' },
                    { in: 'query', key: 'since' },
                    { in: 'query', key: 'before' }
                ] }]);
        return (options?.client ?? this.client).get<MetricsNamesResponses, MetricsNamesErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/runs/metrics/names',
            ...options,
            ...params
        });
    }
    
    /**
     * Compare a metric of several runs
     *
     * An answer has at most 1,000,000 points: a `stride` thins long curves. With `points` it is the columns that the same by POST gives.
     */
    public compare<ThrowOnError extends boolean = true>(parameters: {
        ids: string;
        metric: string;
        x?: string;
        stride?: number;
        points?: number;
    }, options?: Options<never, ThrowOnError>): RequestResult<MetricsCompareResponses, MetricsCompareErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'query', key: 'ids' },
                    { in: 'query', key: 'metric' },
                    { in: 'query', key: 'x' },
                    { in: 'query', key: 'stride' },
                    { in: 'query', key: 'points' }
                ] }]);
        return (options?.client ?? this.client).get<MetricsCompareResponses, MetricsCompareErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/runs/series/compare',
            ...options,
            ...params
        });
    }
    
    /**
     * Compare metrics of many runs
     *
     * Curves as columns. With `points` a curve has its first and last point, and the least and the greatest value of each of many equal ranges of x, so that no spike is lost. With `group` there are means and spread over the runs that share the value of an input, of all points. An answer has at most 2,000,000 points.
     */
    public compareMany<ThrowOnError extends boolean = true>(parameters: {
        ids: Array<string>;
        metrics: Array<string>;
        x?: string;
        points?: number | null;
        after_step?: number;
        group?: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<MetricsCompareManyResponses, MetricsCompareManyErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'body', key: 'ids' },
                    { in: 'body', key: 'metrics' },
                    { in: 'body', key: 'x' },
                    { in: 'body', key: 'points' },
                    { in: 'body', key: 'after_step' },
                    { in: 'body', key: 'group' }
                ] }]);
        return (options?.client ?? this.client).post<MetricsCompareManyResponses, MetricsCompareManyErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/runs/series/compare',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Export points, a row for each
     *
     * The curves of the newest 10,000 runs of the selection.
     */
    public export<ThrowOnError extends boolean = true>(parameters?: {
        flow?: string;
        status?: string;
        group?: string;
        digest?: string;
        ids?: string;
        archived?: 'false' | 'true' | 'any';
        since?: string;
        before?: string;
        format?: 'csv' | 'jsonl';
        until?: string;
        params?: string;
        metrics?: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<MetricsExportResponses, MetricsExportErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'query', key: 'flow' },
                    { in: 'query', key: 'status' },
                    { in: 'query', key: 'group' },
                    { in: 'query', key: 'digest' },
                    { in: 'query', key: 'ids' },
                    { in: 'query', key: 'archived' },
                    { in: 'query', key: 'since' },
                    { in: 'query', key: 'before' },
                    { in: 'query', key: 'format' },
                    { in: 'query', key: 'until' },
                    { in: 'query', key: 'params' },
                    { in: 'query', key: 'metrics' }
                ] }]);
        return (options?.client ?? this.client).get<MetricsExportResponses, MetricsExportErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/runs/export/metrics',
            ...options,
            ...params
        });
    }
}

export class Artifacts extends HeyApiClient {
    /**
     * Store bytes
     *
     * The media type is that of the request. Volatile bytes stay in the memory of the engine until newer ones push them out. A `Content-Digest` (RFC 9530, sha-256) that does not fit is refused. A device stores volatile ones alone, named by a message that a port of it sends.
     */
    public put<ThrowOnError extends boolean = true>(parameters: {
        name?: string;
        volatile?: boolean;
        body: Blob | File;
    }, options?: Options<never, ThrowOnError>): RequestResult<ArtifactsPutResponses, ArtifactsPutErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'query', key: 'name' },
                    { in: 'query', key: 'volatile' },
                    { key: 'body', map: 'body' }
                ] }]);
        return (options?.client ?? this.client).put<ArtifactsPutResponses, ArtifactsPutErrors, ThrowOnError, 'data'>({
            bodySerializer: null,
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/artifacts',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/octet-stream',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Delete bytes
     *
     * Refused while something needs the bytes; `used_by` names the runs, messages, flows and dashboards, and code by its digest. History and cached results are no reason to keep them.
     */
    public delete<ThrowOnError extends boolean = true>(parameters: {
        digest: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<ArtifactsDeleteResponses, ArtifactsDeleteErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'digest' }] }]);
        return (options?.client ?? this.client).delete<ArtifactsDeleteResponses, ArtifactsDeleteErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/artifacts/{digest}',
            ...options,
            ...params
        });
    }
    
    /**
     * Get bytes
     *
     * Answers `Range` and `If-None-Match`. With `Prefer: direct` (RFC 7240) an engine whose artifacts are in an S3-compatible store sends its client there. A device gets the bytes of the current values that its ports follow alone. A page shows them by a ticket in place of the header: what could run scripts is an attachment then.
     */
    public get<ThrowOnError extends boolean = true>(parameters: {
        digest: string;
        ticket?: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<ArtifactsGetResponses, ArtifactsGetErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'digest' }, { in: 'query', key: 'ticket' }] }]);
        return (options?.client ?? this.client).get<ArtifactsGetResponses, ArtifactsGetErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/artifacts/{digest}',
            ...options,
            ...params
        });
    }
    
    /**
     * Get a ticket for bytes
     *
     * For pages, which show videos and download files by an address alone. It is used first within 30 seconds, and then as often as wanted within 10 minutes: for these bytes, by this user, from this address, until the session or key ends that got it.
     */
    public ticket<ThrowOnError extends boolean = true>(parameters: {
        digest: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<ArtifactsTicketResponses, ArtifactsTicketErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'digest' }] }]);
        return (options?.client ?? this.client).post<ArtifactsTicketResponses, ArtifactsTicketErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/artifacts/{digest}/ticket',
            ...options,
            ...params
        });
    }
    
    /**
     * Begin to send bytes to the store
     *
     * For engines whose artifacts are in an S3-compatible store; elsewhere it is refused, and the bytes go to `PUT /artifacts`. Bytes that are stored already need not be sent. All others are sent by one `PUT` to `url` with `headers`, and are an artifact when the upload is completed.
     */
    public beginUpload<ThrowOnError extends boolean = true>(parameters: {
        digest: string;
        size: number;
        name?: string;
        media_type?: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<ArtifactsBeginUploadResponses, ArtifactsBeginUploadErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'body', key: 'digest' },
                    { in: 'body', key: 'size' },
                    { in: 'body', key: 'name' },
                    { in: 'body', key: 'media_type' }
                ] }]);
        return (options?.client ?? this.client).post<ArtifactsBeginUploadResponses, ArtifactsBeginUploadErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/artifacts/uploads',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Complete an upload
     *
     * Refused as `validation_failed` when the bytes that have arrived are not those which were announced; they are removed then. An upload that nobody completes is removed after a day.
     */
    public completeUpload<ThrowOnError extends boolean = true>(parameters: {
        upload: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<ArtifactsCompleteUploadResponses, ArtifactsCompleteUploadErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'upload' }] }]);
        return (options?.client ?? this.client).post<ArtifactsCompleteUploadResponses, ArtifactsCompleteUploadErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/artifacts/uploads/{upload}/complete',
            ...options,
            ...params
        });
    }
}

export class Dashboards extends HeyApiClient {
    /**
     * List dashboards
     */
    public list<ThrowOnError extends boolean = true>(options?: Options<never, ThrowOnError>): RequestResult<DashboardsListResponses, DashboardsListErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<DashboardsListResponses, DashboardsListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/dashboards/',
            ...options
        });
    }
    
    /**
     * Delete a dashboard
     */
    public delete<ThrowOnError extends boolean = true>(parameters: {
        name: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<DashboardsDeleteResponses, DashboardsDeleteErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'name' }] }]);
        return (options?.client ?? this.client).delete<DashboardsDeleteResponses, DashboardsDeleteErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/dashboards/{name}',
            ...options,
            ...params
        });
    }
    
    /**
     * Read a dashboard
     *
     * The published content.
     */
    public get<ThrowOnError extends boolean = true>(parameters: {
        name: string;
        draft?: boolean;
    }, options?: Options<never, ThrowOnError>): RequestResult<DashboardsGetResponses, DashboardsGetErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'name' }, { in: 'query', key: 'draft' }] }]);
        return (options?.client ?? this.client).get<DashboardsGetResponses, DashboardsGetErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/dashboards/{name}',
            ...options,
            ...params
        });
    }
    
    /**
     * Create a dashboard
     *
     * With a draft, of which nothing is published yet.
     */
    public create<ThrowOnError extends boolean = true>(parameters: {
        name: string;
        title?: string;
        content?: DashboardContent;
    }, options?: Options<never, ThrowOnError>): RequestResult<DashboardsCreateResponses, DashboardsCreateErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'path', key: 'name' },
                    { in: 'body', key: 'title' },
                    { in: 'body', key: 'content' }
                ] }]);
        return (options?.client ?? this.client).post<DashboardsCreateResponses, DashboardsCreateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/dashboards/{name}',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Save a draft
     *
     * What is left out stays as it is. Messages, flows, runs and curves that nobody has are stored, and listed in `issues`.
     */
    public save<ThrowOnError extends boolean = true>(parameters: {
        name: string;
        title?: string;
        content?: DashboardContent;
        version?: number;
    }, options?: Options<never, ThrowOnError>): RequestResult<DashboardsSaveResponses, DashboardsSaveErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'path', key: 'name' },
                    { in: 'body', key: 'title' },
                    { in: 'body', key: 'content' },
                    { in: 'body', key: 'version' }
                ] }]);
        return (options?.client ?? this.client).put<DashboardsSaveResponses, DashboardsSaveErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/dashboards/{name}',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Make a dashboard of the results of a batch flow
     *
     * Published at once: a chart of the newest 5 runs for each numeric streaming port, and a widget for each output; 200 widgets at most. Called `{flow}_results` unless named.
     */
    public fromFlow<ThrowOnError extends boolean = true>(parameters: {
        flow: string;
        name?: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<DashboardsFromFlowResponses, DashboardsFromFlowErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'flow' }, { in: 'body', key: 'name' }] }]);
        return (options?.client ?? this.client).post<DashboardsFromFlowResponses, DashboardsFromFlowErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/dashboards/from-flow/{flow}',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Publish the draft
     */
    public publish<ThrowOnError extends boolean = true>(parameters: {
        name: string;
        version?: number;
    }, options?: Options<never, ThrowOnError>): RequestResult<DashboardsPublishResponses, DashboardsPublishErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'name' }, { in: 'body', key: 'version' }] }]);
        return (options?.client ?? this.client).post<DashboardsPublishResponses, DashboardsPublishErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/dashboards/{name}/publish',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Discard the draft
     *
     * The published content is the current one again, under a new version: a save over the discarded draft conflicts.
     */
    public discard<ThrowOnError extends boolean = true>(parameters: {
        name: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<DashboardsDiscardResponses, DashboardsDiscardErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'name' }] }]);
        return (options?.client ?? this.client).post<DashboardsDiscardResponses, DashboardsDiscardErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/dashboards/{name}/discard',
            ...options,
            ...params
        });
    }
    
    /**
     * Rename a dashboard
     */
    public rename<ThrowOnError extends boolean = true>(parameters: {
        path_name: string;
        body_name: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<DashboardsRenameResponses, DashboardsRenameErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{
                        in: 'path',
                        key: 'path_name',
                        map: 'name'
                    }, {
                        in: 'body',
                        key: 'body_name',
                        map: 'name'
                    }] }]);
        return (options?.client ?? this.client).post<DashboardsRenameResponses, DashboardsRenameErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/dashboards/{name}/rename',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Copy a dashboard
     *
     * The current content becomes the draft of a new dashboard.
     */
    public duplicate<ThrowOnError extends boolean = true>(parameters: {
        path_name: string;
        body_name?: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<DashboardsDuplicateResponses, DashboardsDuplicateErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{
                        in: 'path',
                        key: 'path_name',
                        map: 'name'
                    }, {
                        in: 'body',
                        key: 'body_name',
                        map: 'name'
                    }] }]);
        return (options?.client ?? this.client).post<DashboardsDuplicateResponses, DashboardsDuplicateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/dashboards/{name}/duplicate',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
}

export class Devices extends HeyApiClient {
    /**
     * List devices
     */
    public list<ThrowOnError extends boolean = true>(options?: Options<never, ThrowOnError>): RequestResult<DevicesListResponses, DevicesListErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<DevicesListResponses, DevicesListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/devices/',
            ...options
        });
    }
    
    /**
     * Delete a device
     *
     * Its credentials count no more, and its socket is closed. Nodes that stand for it stay, without a device.
     */
    public delete<ThrowOnError extends boolean = true>(parameters: {
        id: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<DevicesDeleteResponses, DevicesDeleteErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'id' }] }]);
        return (options?.client ?? this.client).delete<DevicesDeleteResponses, DevicesDeleteErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/devices/{id}',
            ...options,
            ...params
        });
    }
    
    /**
     * Read a device
     *
     * With the ports of its last report, and how published flows wire them. A device reads itself alone.
     */
    public get<ThrowOnError extends boolean = true>(parameters: {
        id: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<DevicesGetResponses, DevicesGetErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'id' }] }]);
        return (options?.client ?? this.client).get<DevicesGetResponses, DevicesGetErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/devices/{id}',
            ...options,
            ...params
        });
    }
    
    /**
     * Create a device
     *
     * A board is paired with it afterwards. Without a name it takes the one that its board says.
     */
    public create<ThrowOnError extends boolean = true>(parameters: {
        id: string;
        name?: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<DevicesCreateResponses, DevicesCreateErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'id' }, { in: 'body', key: 'name' }] }]);
        return (options?.client ?? this.client).post<DevicesCreateResponses, DevicesCreateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/devices/{id}',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Save a device
     *
     * `version` is the version that was read. Reports, pairing and presence do not change it.
     */
    public save<ThrowOnError extends boolean = true>(parameters: {
        id: string;
        version: number;
        name?: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<DevicesSaveResponses, DevicesSaveErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'path', key: 'id' },
                    { in: 'body', key: 'version' },
                    { in: 'body', key: 'name' }
                ] }]);
        return (options?.client ?? this.client).put<DevicesSaveResponses, DevicesSaveErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/devices/{id}',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Report what a device has
     *
     * By the device itself, at most 16,384 bytes; replaces the last report. `io` or `ports` lists its ports as `{name, direction, dtype, on_demand, title}`: what cannot be read of it is passed over. `board`, `firmware`, and `name` until a person has chosen one, are taken over.
     */
    public report<ThrowOnError extends boolean = true>(parameters: {
        id: string;
        body: {
            [key: string]: JsonValue;
        };
    }, options?: Options<never, ThrowOnError>): RequestResult<DevicesReportResponses, DevicesReportErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'id' }, { key: 'body', map: 'body' }] }]);
        return (options?.client ?? this.client).put<DevicesReportResponses, DevicesReportErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/devices/{id}/report',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Adopt what waits
     *
     * By its code, or by the id of its request from the network where that was made. What was paired with the device before counts no more.
     */
    public pair<ThrowOnError extends boolean = true>(parameters: {
        id: string;
        body: PairByCode | PairByRequest;
    }, options?: Options<never, ThrowOnError>): RequestResult<DevicesPairResponses, DevicesPairErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'id' }, { key: 'body', map: 'body' }] }]);
        return (options?.client ?? this.client).post<DevicesPairResponses, DevicesPairErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/devices/{id}/pair',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Unpair a device
     *
     * Its credentials count no more, one given out through the portal included, and its socket is closed.
     */
    public unpair<ThrowOnError extends boolean = true>(parameters: {
        id: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<DevicesUnpairResponses, DevicesUnpairErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'id' }] }]);
        return (options?.client ?? this.client).post<DevicesUnpairResponses, DevicesUnpairErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/devices/{id}/unpair',
            ...options,
            ...params
        });
    }
    
    /**
     * Get the source that makes a board a device
     *
     * One file of Python 3.11 or newer, which needs nothing but the standard library.
     */
    public runtime<ThrowOnError extends boolean = true>(options?: Options<never, ThrowOnError>): RequestResult<DevicesRuntimeResponses, DevicesRuntimeErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<DevicesRuntimeResponses, DevicesRuntimeErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            url: '/devices/runtime',
            ...options
        });
    }
}

export class Pairing extends HeyApiClient {
    /**
     * Ask to be paired
     *
     * By a device that has no credential. It shows `code` and `check`, and polls with `secret` until somebody adopts it or ten minutes are over. Five times a minute from an address.
     */
    public start<ThrowOnError extends boolean = true>(parameters?: {
        name?: string;
        board?: string;
        firmware?: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<PairingStartResponses, PairingStartErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'body', key: 'name' },
                    { in: 'body', key: 'board' },
                    { in: 'body', key: 'firmware' }
                ] }]);
        return (options?.client ?? this.client).post<PairingStartResponses, PairingStartErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            url: '/devices/pair',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Poll a pairing
     *
     * With the secret as `Authorization: Bearer <secret>`, or in the query where a device cannot set headers. An adopted device gets its credential, each time that it asks until it has used it, for ten minutes.
     */
    public poll<ThrowOnError extends boolean = true>(parameters: {
        code: string;
        secret?: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<PairingPollResponses, PairingPollErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'code' }, { in: 'query', key: 'secret' }] }]);
        return (options?.client ?? this.client).get<PairingPollResponses, PairingPollErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            url: '/devices/pair/{code}',
            ...options,
            ...params
        });
    }
    
    /**
     * List devices that wait
     *
     * Without their codes, which only who stands before the device can read.
     */
    public pending<ThrowOnError extends boolean = true>(options?: Options<never, ThrowOnError>): RequestResult<PairingPendingResponses, PairingPendingErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<PairingPendingResponses, PairingPendingErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/devices/pending',
            ...options
        });
    }
    
    /**
     * Show what waits on a code
     *
     * Compare `check` with what the device shows: somebody who relays a code has another one.
     */
    public inspect<ThrowOnError extends boolean = true>(parameters: {
        code: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<PairingInspectResponses, PairingInspectErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'code' }] }]);
        return (options?.client ?? this.client).get<PairingInspectResponses, PairingInspectErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/devices/pair/{code}/device',
            ...options,
            ...params
        });
    }
}

export class Panels extends HeyApiClient {
    /**
     * Read a device, for older firmware
     *
     * With the ports of its last report, and how published flows wire them. A device reads itself alone.
     *
     * @deprecated
     */
    public get<ThrowOnError extends boolean = true>(parameters: {
        id: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<PanelsGetResponses, PanelsGetErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'id' }] }]);
        return (options?.client ?? this.client).get<PanelsGetResponses, PanelsGetErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/panels/{id}',
            ...options,
            ...params
        });
    }
    
    /**
     * Ask to be paired, for older firmware
     *
     * By a device that has no credential. It shows `code` and `check`, and polls with `secret` until somebody adopts it or ten minutes are over. Five times a minute from an address.
     *
     * @deprecated
     */
    public startPairing<ThrowOnError extends boolean = true>(parameters?: {
        name?: string;
        board?: string;
        firmware?: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<PanelsStartPairingResponses, PanelsStartPairingErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'body', key: 'name' },
                    { in: 'body', key: 'board' },
                    { in: 'body', key: 'firmware' }
                ] }]);
        return (options?.client ?? this.client).post<PanelsStartPairingResponses, PanelsStartPairingErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            url: '/panels/pair',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Poll a pairing, for older firmware
     *
     * With the secret as `Authorization: Bearer <secret>`, or in the query where a device cannot set headers. An adopted device gets its credential, each time that it asks until it has used it, for ten minutes.
     *
     * @deprecated
     */
    public pollPairing<ThrowOnError extends boolean = true>(parameters: {
        code: string;
        secret?: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<PanelsPollPairingResponses, PanelsPollPairingErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'code' }, { in: 'query', key: 'secret' }] }]);
        return (options?.client ?? this.client).get<PanelsPollPairingResponses, PanelsPollPairingErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            url: '/panels/pair/{code}',
            ...options,
            ...params
        });
    }
}

export class Secrets extends HeyApiClient {
    /**
     * List secrets
     */
    public list<ThrowOnError extends boolean = true>(options?: Options<never, ThrowOnError>): RequestResult<SecretsListResponses, SecretsListErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<SecretsListResponses, SecretsListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/secrets/',
            ...options
        });
    }
    
    /**
     * List secrets with their users
     *
     * Nodes whose draft or published form refers to them, and what else does.
     */
    public usage<ThrowOnError extends boolean = true>(options?: Options<never, ThrowOnError>): RequestResult<SecretsUsageResponses, SecretsUsageErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<SecretsUsageResponses, SecretsUsageErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/secrets/usage',
            ...options
        });
    }
    
    /**
     * Delete a secret
     */
    public delete<ThrowOnError extends boolean = true>(parameters: {
        name: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<SecretsDeleteResponses, SecretsDeleteErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'name' }] }]);
        return (options?.client ?? this.client).delete<SecretsDeleteResponses, SecretsDeleteErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/secrets/{name}',
            ...options,
            ...params
        });
    }
    
    /**
     * Store a secret
     *
     * In place of the value that it had. Nodes of active flows that use it are made anew.
     */
    public set<ThrowOnError extends boolean = true>(parameters: {
        name: string;
        value: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<SecretsSetResponses, SecretsSetErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'name' }, { in: 'body', key: 'value' }] }]);
        return (options?.client ?? this.client).put<SecretsSetResponses, SecretsSetErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/secrets/{name}',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
}

export class Connectors extends HeyApiClient {
    /**
     * Have a connector forget everything
     *
     * As for one key, for all keys of the package.
     */
    public clearState<ThrowOnError extends boolean = true>(parameters: {
        node_type: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<ConnectorsClearStateResponses, ConnectorsClearStateErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'node_type' }] }]);
        return (options?.client ?? this.client).delete<ConnectorsClearStateResponses, ConnectorsClearStateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/connectors/{node_type}/state',
            ...options,
            ...params
        });
    }
    
    /**
     * List what a connector keeps
     *
     * Keys of all node types of its package. Nobody is shown a value.
     */
    public listState<ThrowOnError extends boolean = true>(parameters: {
        node_type: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<ConnectorsListStateResponses, ConnectorsListStateErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'node_type' }] }]);
        return (options?.client ?? this.client).get<ConnectorsListStateResponses, ConnectorsListStateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/connectors/{node_type}/state',
            ...options,
            ...params
        });
    }
    
    /**
     * Have a connector forget a key
     *
     * Its package pairs, or learns, anew: when a flow with nodes of the package is published or started the next time.
     */
    public deleteKey<ThrowOnError extends boolean = true>(parameters: {
        node_type: string;
        key: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<ConnectorsDeleteKeyResponses, ConnectorsDeleteKeyErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'node_type' }, { in: 'path', key: 'key' }] }]);
        return (options?.client ?? this.client).delete<ConnectorsDeleteKeyResponses, ConnectorsDeleteKeyErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/connectors/{node_type}/state/{key}',
            ...options,
            ...params
        });
    }
}

export class Provisioners extends HeyApiClient {
    /**
     * Read provisioners.json again
     *
     * That of the engine which answers. Pending jobs of a profile that is gone are cancelled; attached workers stay. A file that cannot be used changes nothing. What has failed may be tried again at once.
     */
    public reload<ThrowOnError extends boolean = true>(options?: Options<never, ThrowOnError>): RequestResult<WorkersProvisionersReloadResponses, WorkersProvisionersReloadErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).post<WorkersProvisionersReloadResponses, WorkersProvisionersReloadErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/workers/provisioners/reload',
            ...options
        });
    }
    
    /**
     * Test a profile of a provisioner
     *
     * Hands in a job of one minute, has its worker execute a call, and cancels the job. Its steps are read by the id in the answer; of one that is under way, that is answered.
     */
    public test<ThrowOnError extends boolean = true>(parameters: {
        name: string;
        profile: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<WorkersProvisionersTestResponses, WorkersProvisionersTestErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'name' }, { in: 'path', key: 'profile' }] }]);
        return (options?.client ?? this.client).post<WorkersProvisionersTestResponses, WorkersProvisionersTestErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/workers/provisioners/{name}/{profile}/test',
            ...options,
            ...params
        });
    }
    
    /**
     * Read how far a test of a profile has come
     *
     * At the engine where it was begun, which keeps the last twenty.
     */
    public readTest<ThrowOnError extends boolean = true>(parameters: {
        test: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<WorkersProvisionersReadTestResponses, WorkersProvisionersReadTestErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'test' }] }]);
        return (options?.client ?? this.client).get<WorkersProvisionersReadTestResponses, WorkersProvisionersReadTestErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/workers/provisioners/tests/{test}',
            ...options,
            ...params
        });
    }
}

export class Workers extends HeyApiClient {
    /**
     * List workers
     *
     * Those that are attached to this engine, and those that it refused for their version.
     */
    public list<ThrowOnError extends boolean = true>(options?: Options<never, ThrowOnError>): RequestResult<WorkersListResponses, WorkersListErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<WorkersListResponses, WorkersListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/workers',
            ...options
        });
    }
    
    /**
     * List worker tokens
     *
     * Without their texts, which only the answer to their making has.
     */
    public listTokens<ThrowOnError extends boolean = true>(options?: Options<never, ThrowOnError>): RequestResult<WorkersListTokensResponses, WorkersListTokensErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<WorkersListTokensResponses, WorkersListTokensErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/workers/tokens',
            ...options
        });
    }
    
    /**
     * Make a worker token
     *
     * Its name and labels decide which nodes, and with them which secrets, the engine sends to workers that attach with it. It counts for 365 days.
     */
    public mintToken<ThrowOnError extends boolean = true>(parameters: {
        name: string;
        labels?: Array<string>;
    }, options?: Options<never, ThrowOnError>): RequestResult<WorkersMintTokenResponses, WorkersMintTokenErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'body', key: 'name' }, { in: 'body', key: 'labels' }] }]);
        return (options?.client ?? this.client).post<WorkersMintTokenResponses, WorkersMintTokenErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/workers/tokens',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Revoke a worker token
     *
     * Its workers are disconnected, and their calls fail. Revoking it again changes nothing.
     */
    public revokeToken<ThrowOnError extends boolean = true>(parameters: {
        jti: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<WorkersRevokeTokenResponses, WorkersRevokeTokenErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'jti' }] }]);
        return (options?.client ?? this.client).post<WorkersRevokeTokenResponses, WorkersRevokeTokenErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/workers/tokens/{jti}/revoke',
            ...options,
            ...params
        });
    }
    
    /**
     * Get the source that runs Python nodes
     *
     * For reading: workers bring their own.
     */
    public runtime<ThrowOnError extends boolean = true>(options?: Options<never, ThrowOnError>): RequestResult<WorkersRuntimeResponses, WorkersRuntimeErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<WorkersRuntimeResponses, WorkersRuntimeErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/workers/runtime',
            ...options
        });
    }
    
    /**
     * Get what workers have and have left
     *
     * And how the provisioners fare that may start more of them.
     */
    public resources<ThrowOnError extends boolean = true>(options?: Options<never, ThrowOnError>): RequestResult<WorkersResourcesResponses, WorkersResourcesErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<WorkersResourcesResponses, WorkersResourcesErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/workers/resources',
            ...options
        });
    }
    
    private _provisioners?: Provisioners;
    get provisioners(): Provisioners {
        return this._provisioners ??= new Provisioners({ client: this.client });
    }
}

export class Flavors extends HeyApiClient {
    /**
     * List flavors
     */
    public list<ThrowOnError extends boolean = true>(options?: Options<never, ThrowOnError>): RequestResult<FlavorsListResponses, FlavorsListErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<FlavorsListResponses, FlavorsListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/flavors/',
            ...options
        });
    }
    
    /**
     * Create a flavor
     *
     * Flows name it in `resources.flavor`; the numbers beside it there go before its own.
     */
    public create<ThrowOnError extends boolean = true>(parameters: {
        name: string;
        cpus: number;
        gpus: number;
        ram_mb: number;
        description?: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<FlavorsCreateResponses, FlavorsCreateErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'body', key: 'name' },
                    { in: 'body', key: 'cpus' },
                    { in: 'body', key: 'gpus' },
                    { in: 'body', key: 'ram_mb' },
                    { in: 'body', key: 'description' }
                ] }]);
        return (options?.client ?? this.client).post<FlavorsCreateResponses, FlavorsCreateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/flavors/',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Delete a flavor
     *
     * Refused while flows name it in their draft or published form; `used_by` tells which.
     */
    public delete<ThrowOnError extends boolean = true>(parameters: {
        name: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<FlavorsDeleteResponses, FlavorsDeleteErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'name' }] }]);
        return (options?.client ?? this.client).delete<FlavorsDeleteResponses, FlavorsDeleteErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/flavors/{name}',
            ...options,
            ...params
        });
    }
    
    /**
     * Change a flavor
     *
     * What is left out stays as it was. Calls that have not started yet take the new numbers.
     */
    public update<ThrowOnError extends boolean = true>(parameters: {
        name: string;
        cpus?: number;
        gpus?: number;
        ram_mb?: number;
        description?: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<FlavorsUpdateResponses, FlavorsUpdateErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'path', key: 'name' },
                    { in: 'body', key: 'cpus' },
                    { in: 'body', key: 'gpus' },
                    { in: 'body', key: 'ram_mb' },
                    { in: 'body', key: 'description' }
                ] }]);
        return (options?.client ?? this.client).patch<FlavorsUpdateResponses, FlavorsUpdateErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/flavors/{name}',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
}

export class Modules extends HeyApiClient {
    /**
     * Get the modules
     *
     * The manifest in force, what is installed, and how far an apply is.
     */
    public get<ThrowOnError extends boolean = true>(options?: Options<never, ThrowOnError>): RequestResult<ModulesGetResponses, ModulesGetErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<ModulesGetResponses, ModulesGetErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/modules/',
            ...options
        });
    }
    
    /**
     * Apply a manifest of modules
     *
     * Replaces the whole list. It is built beside what is in force, which is used until it is complete: poll GET /modules/, or follow the `modules` frames of the event socket.
     */
    public apply<ThrowOnError extends boolean = true>(parameters: {
        requirements: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<ModulesApplyResponses, ModulesApplyErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'body', key: 'requirements' }] }]);
        return (options?.client ?? this.client).post<ModulesApplyResponses, ModulesApplyErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/modules/apply',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
}

export class Alerts extends HeyApiClient {
    /**
     * Get the configuration of alerts
     *
     * With references to secrets, and no value of one.
     */
    public get<ThrowOnError extends boolean = true>(options?: Options<never, ThrowOnError>): RequestResult<AlertsGetResponses, AlertsGetErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<AlertsGetResponses, AlertsGetErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/alerts/config',
            ...options
        });
    }
    
    /**
     * Replace the configuration of alerts
     *
     * As a whole: what is left out has its default.
     */
    public put<ThrowOnError extends boolean = true>(parameters?: {
        enabled?: boolean;
        min_interval_s?: number;
        events?: Array<AlertEvent>;
        channels?: {
            /**
             * Requests to an address.
             */
            webhook?: {
                /**
                 * Whether alerts go there.
                 */
                enabled?: boolean;
                /**
                 * Gets a POST of JSON for each alert. Every user can read it; a credential belongs into a header.
                 */
                url?: string | null;
                /**
                 * Sent along; those with a credential as `{"$secret": "name"}`.
                 */
                headers?: {
                    [key: string]: string | SecretRef;
                };
            };
            /**
             * Messages to telephones.
             */
            push?: {
                /**
                 * Whether alerts go there.
                 */
                enabled?: boolean;
                /**
                 * A push server of ntfy’s kind.
                 */
                server?: string;
                /**
                 * Topic that receivers have subscribed to.
                 */
                topic?: string | null;
                /**
                 * Access token, for a protected topic.
                 */
                token?: SecretRef | null;
            };
            /**
             * Mails.
             */
            email?: {
                /**
                 * Whether alerts go there.
                 */
                enabled?: boolean;
                /**
                 * Addresses that each get a mail.
                 */
                to?: Array<string>;
            };
        };
    }, options?: Options<never, ThrowOnError>): RequestResult<AlertsPutResponses, AlertsPutErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'body', key: 'enabled' },
                    { in: 'body', key: 'min_interval_s' },
                    { in: 'body', key: 'events' },
                    { in: 'body', key: 'channels' }
                ] }]);
        return (options?.client ?? this.client).put<AlertsPutResponses, AlertsPutErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/alerts/config',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Test a channel of alerts
     *
     * Sends a message of the event `test` now, also through a channel that is not enabled.
     */
    public test<ThrowOnError extends boolean = true>(parameters: {
        channel: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<AlertsTestResponses, AlertsTestErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'channel' }] }]);
        return (options?.client ?? this.client).post<AlertsTestResponses, AlertsTestErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/alerts/test/{channel}',
            ...options,
            ...params
        });
    }
}

export class Backup extends HeyApiClient {
    /**
     * Make a backup
     *
     * All of the database as of the moment of the first byte, while the engine goes on, and the artifacts that it refers to: a file for `service restore`. It has password hashes, and secrets as they are sealed, but no key. One that does not come to its end is of no use.
     */
    public make<ThrowOnError extends boolean = true>(parameters?: {
        artifacts?: boolean;
    }, options?: Options<never, ThrowOnError>): RequestResult<BackupMakeResponses, BackupMakeErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'query', key: 'artifacts' }] }]);
        return (options?.client ?? this.client).get<BackupMakeResponses, BackupMakeErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/backup',
            ...options,
            ...params
        });
    }
}

export class Engines extends HeyApiClient {
    /**
     * List engines
     *
     * Those that live on the database of the engine that is asked, each with the live flows that it runs. An embedded database has one.
     */
    public list<ThrowOnError extends boolean = true>(options?: Options<never, ThrowOnError>): RequestResult<EnginesListResponses, EnginesListErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<EnginesListResponses, EnginesListErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/engines',
            ...options
        });
    }
}

export class Observability extends HeyApiClient {
    /**
     * Tell how the engine is
     *
     * The answer is 200 whatever the state of the engine. While the database does not answer, the numbers of runs are the last that it told.
     */
    public summary<ThrowOnError extends boolean = true>(options?: Options<never, ThrowOnError>): RequestResult<ObservabilitySummaryResponses, ObservabilitySummaryErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<ObservabilitySummaryResponses, ObservabilitySummaryErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/observability/summary',
            ...options
        });
    }
    
    /**
     * Read executions over time
     *
     * Executions of nodes of live flows and of runs, oldest first. They are counted by the minute and kept for 7 days; a bucket in which nothing was executed is left out.
     */
    public timeseries<ThrowOnError extends boolean = true>(parameters?: {
        flow?: string;
        since?: string;
        until?: string;
        bucket?: number;
    }, options?: Options<never, ThrowOnError>): RequestResult<ObservabilityTimeseriesResponses, ObservabilityTimeseriesErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'query', key: 'flow' },
                    { in: 'query', key: 'since' },
                    { in: 'query', key: 'until' },
                    { in: 'query', key: 'bucket' }
                ] }]);
        return (options?.client ?? this.client).get<ObservabilityTimeseriesResponses, ObservabilityTimeseriesErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/observability/timeseries',
            ...options,
            ...params
        });
    }
    
    /**
     * Sum up the executions of every flow
     */
    public flows<ThrowOnError extends boolean = true>(parameters?: {
        since?: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<ObservabilityFlowsResponses, ObservabilityFlowsErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'query', key: 'since' }] }]);
        return (options?.client ?? this.client).get<ObservabilityFlowsResponses, ObservabilityFlowsErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/observability/flows',
            ...options,
            ...params
        });
    }
    
    /**
     * List cascades, newest first
     *
     * A cascade is all that a webhook, timer, publication or trigger has set off in live flows; runs are listed too. They are kept for 30 days. Of a flow with many, those that failed or lasted a second are kept first, and of the others a part. `before` and `since` are about `started_at`.
     */
    public cascades<ThrowOnError extends boolean = true>(parameters?: {
        limit?: number;
        before?: string;
        since?: string;
        flow?: string;
        status?: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<ObservabilityCascadesResponses, ObservabilityCascadesErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'query', key: 'limit' },
                    { in: 'query', key: 'before' },
                    { in: 'query', key: 'since' },
                    { in: 'query', key: 'flow' },
                    { in: 'query', key: 'status' }
                ] }]);
        return (options?.client ?? this.client).get<ObservabilityCascadesResponses, ObservabilityCascadesErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/observability/runs',
            ...options,
            ...params
        });
    }
    
    /**
     * List events, newest first
     *
     * What people did (`audit`) and what happened to the engine and its connections in the last 30 days.
     */
    public events<ThrowOnError extends boolean = true>(parameters?: {
        limit?: number;
        before?: string;
        since?: string;
        kind?: string;
        flow?: string;
        node?: string;
        action?: string;
        actor?: string;
        until?: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<ObservabilityEventsResponses, ObservabilityEventsErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'query', key: 'limit' },
                    { in: 'query', key: 'before' },
                    { in: 'query', key: 'since' },
                    { in: 'query', key: 'kind' },
                    { in: 'query', key: 'flow' },
                    { in: 'query', key: 'node' },
                    { in: 'query', key: 'action' },
                    { in: 'query', key: 'actor' },
                    { in: 'query', key: 'until' }
                ] }]);
        return (options?.client ?? this.client).get<ObservabilityEventsResponses, ObservabilityEventsErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/observability/events',
            ...options,
            ...params
        });
    }
    
    /**
     * List dead letters, newest first
     *
     * Work that ended without being done. It is kept for 30 days, or until it is replayed.
     */
    public deadLetter<ThrowOnError extends boolean = true>(parameters?: {
        limit?: number;
        before?: string;
        since?: string;
        flow?: string;
        node?: string;
        reason?: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<ObservabilityDeadLetterResponses, ObservabilityDeadLetterErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'query', key: 'limit' },
                    { in: 'query', key: 'before' },
                    { in: 'query', key: 'since' },
                    { in: 'query', key: 'flow' },
                    { in: 'query', key: 'node' },
                    { in: 'query', key: 'reason' }
                ] }]);
        return (options?.client ?? this.client).get<ObservabilityDeadLetterResponses, ObservabilityDeadLetterErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/observability/dead-letter',
            ...options,
            ...params
        });
    }
    
    /**
     * Deliver dead letters again
     *
     * Those of active flows that fit, the oldest first, at most 1,000 a call: call again until `replayed` is 0. What cannot be delivered stays. An empty body means all.
     */
    public replayMany<ThrowOnError extends boolean = true>(parameters?: {
        flow?: string;
        node?: string;
        reason?: 'crash' | 'overflow' | 'expired' | 'loop_limit' | 'lease' | 'stopped';
        since?: string;
        until?: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<ObservabilityReplayManyResponses, ObservabilityReplayManyErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [
                    { in: 'body', key: 'flow' },
                    { in: 'body', key: 'node' },
                    { in: 'body', key: 'reason' },
                    { in: 'body', key: 'since' },
                    { in: 'body', key: 'until' }
                ] }]);
        return (options?.client ?? this.client).post<ObservabilityReplayManyResponses, ObservabilityReplayManyErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/observability/dead-letter/replay',
            ...options,
            ...params,
            headers: {
                'Content-Type': 'application/json',
                ...options?.headers,
                ...params.headers
            }
        });
    }
    
    /**
     * Deliver a dead letter again
     *
     * Its value goes to every input of the node that reads the message. It is taken from the list; if it fails again it comes back under its id.
     */
    public replay<ThrowOnError extends boolean = true>(parameters: {
        id: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<ObservabilityReplayResponses, ObservabilityReplayErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'id' }] }]);
        return (options?.client ?? this.client).post<ObservabilityReplayResponses, ObservabilityReplayErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/observability/dead-letter/{id}/replay',
            ...options,
            ...params
        });
    }
    
    /**
     * Dismiss a dead letter
     *
     * It is taken from the list and not delivered. Who has dismissed it is in the audit.
     */
    public dismiss<ThrowOnError extends boolean = true>(parameters: {
        id: string;
    }, options?: Options<never, ThrowOnError>): RequestResult<ObservabilityDismissResponses, ObservabilityDismissErrors, ThrowOnError, 'data'> {
        const params = buildClientParams([parameters], [{ args: [{ in: 'path', key: 'id' }] }]);
        return (options?.client ?? this.client).post<ObservabilityDismissResponses, ObservabilityDismissErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/observability/dead-letter/{id}/dismiss',
            ...options,
            ...params
        });
    }
    
    /**
     * Write what waits to be written
     *
     * Lists do that by themselves for what they show.
     */
    public flush<ThrowOnError extends boolean = true>(options?: Options<never, ThrowOnError>): RequestResult<ObservabilityFlushResponses, ObservabilityFlushErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).post<ObservabilityFlushResponses, ObservabilityFlushErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/observability/flush',
            ...options
        });
    }
}

export class Utils extends HeyApiClient {
    /**
     * Check whether the engine works
     *
     * Refuses while the event loop is blocked or the database cannot be written; `checks` tells what it is.
     */
    public health<ThrowOnError extends boolean = true>(options?: Options<never, ThrowOnError>): RequestResult<UtilsHealthResponses, UtilsHealthErrors, ThrowOnError, 'data'> {
        return (options?.client ?? this.client).get<UtilsHealthResponses, UtilsHealthErrors, ThrowOnError, 'data'>({
            responseStyle: 'data',
            security: [{ scheme: 'bearer', type: 'http' }],
            url: '/utils/health/',
            ...options
        });
    }
}

export class GeneratedClient extends HeyApiClient {
    public static readonly __registry: HeyApiRegistry<GeneratedClient> = new HeyApiRegistry<GeneratedClient>();
    
    constructor(args?: {
        client?: Client;
        key?: string;
    }) {
        super(args);
        GeneratedClient.__registry.set(this, args?.key);
    }
    
    private _login?: Login;
    get login(): Login {
        return this._login ??= new Login({ client: this.client });
    }
    
    private _users?: Users;
    get users(): Users {
        return this._users ??= new Users({ client: this.client });
    }
    
    private _keys?: Keys;
    get keys(): Keys {
        return this._keys ??= new Keys({ client: this.client });
    }
    
    private _oauth?: Oauth;
    get oauth(): Oauth {
        return this._oauth ??= new Oauth({ client: this.client });
    }
    
    private _flows?: Flows;
    get flows(): Flows {
        return this._flows ??= new Flows({ client: this.client });
    }
    
    private _library?: Library;
    get library(): Library {
        return this._library ??= new Library({ client: this.client });
    }
    
    private _messages?: Messages;
    get messages(): Messages {
        return this._messages ??= new Messages({ client: this.client });
    }
    
    private _runs?: Runs;
    get runs(): Runs {
        return this._runs ??= new Runs({ client: this.client });
    }
    
    private _metrics?: Metrics;
    get metrics(): Metrics {
        return this._metrics ??= new Metrics({ client: this.client });
    }
    
    private _artifacts?: Artifacts;
    get artifacts(): Artifacts {
        return this._artifacts ??= new Artifacts({ client: this.client });
    }
    
    private _dashboards?: Dashboards;
    get dashboards(): Dashboards {
        return this._dashboards ??= new Dashboards({ client: this.client });
    }
    
    private _devices?: Devices;
    get devices(): Devices {
        return this._devices ??= new Devices({ client: this.client });
    }
    
    private _pairing?: Pairing;
    get pairing(): Pairing {
        return this._pairing ??= new Pairing({ client: this.client });
    }
    
    private _panels?: Panels;
    get panels(): Panels {
        return this._panels ??= new Panels({ client: this.client });
    }
    
    private _secrets?: Secrets;
    get secrets(): Secrets {
        return this._secrets ??= new Secrets({ client: this.client });
    }
    
    private _connectors?: Connectors;
    get connectors(): Connectors {
        return this._connectors ??= new Connectors({ client: this.client });
    }
    
    private _workers?: Workers;
    get workers(): Workers {
        return this._workers ??= new Workers({ client: this.client });
    }
    
    private _flavors?: Flavors;
    get flavors(): Flavors {
        return this._flavors ??= new Flavors({ client: this.client });
    }
    
    private _modules?: Modules;
    get modules(): Modules {
        return this._modules ??= new Modules({ client: this.client });
    }
    
    private _alerts?: Alerts;
    get alerts(): Alerts {
        return this._alerts ??= new Alerts({ client: this.client });
    }
    
    private _backup?: Backup;
    get backup(): Backup {
        return this._backup ??= new Backup({ client: this.client });
    }
    
    private _engines?: Engines;
    get engines(): Engines {
        return this._engines ??= new Engines({ client: this.client });
    }
    
    private _observability?: Observability;
    get observability(): Observability {
        return this._observability ??= new Observability({ client: this.client });
    }
    
    private _utils?: Utils;
    get utils(): Utils {
        return this._utils ??= new Utils({ client: this.client });
    }
}
