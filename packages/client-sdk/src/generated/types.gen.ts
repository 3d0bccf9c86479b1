// Generated from api-server/openapi.json by `npm run generate`; do not edit.
// @ts-nocheck

export type ClientOptions = {
    baseUrl: `${string}://${string}/api/v1` | (string & {});
};

export type LoginForm = {
    /**
     * The e-mail of the user.
     */
    username: string;
    /**
     * The password of the user.
     */
    password: string;
};

export type SignInCode = {
    /**
     * What stands behind `#code=` or `#dev=`; it counts once.
     */
    code: string;
};

export type NewPassword = {
    /**
     * What stands behind `#token=` in the link of the mail; it counts once.
     */
    token: string;
    /**
     * 8 to 128 characters.
     */
    new_password: string;
};

export type UserCreate = {
    /**
     * Address by which the user signs in; no other user has it.
     */
    email: string;
    /**
     * For people.
     */
    full_name?: string | null;
    /**
     * Whether the user may do everything, and manage others.
     */
    is_superuser?: boolean;
    /**
     * Left out: the user is invited to choose one.
     */
    password?: string;
};

export type UserUpdate = {
    /**
     * For people; null takes it away.
     */
    full_name?: string | null;
    /**
     * False ends the sessions and keys of the user, and refuses new ones.
     */
    is_active?: boolean;
    /**
     * The last active superuser stays one.
     */
    is_superuser?: boolean;
    /**
     * A new password, which ends the sessions of the user.
     */
    password?: string;
};

export type PasswordChange = {
    /**
     * The one that counts until now.
     */
    current_password: string;
    /**
     * 8 to 128 characters; other sessions end.
     */
    new_password: string;
};

export type ApiKeyRequest = {
    /**
     * No other live key of the owner has it.
     */
    name: string;
    /**
     * What the key is good for, of all that its owner may do.
     */
    scopes: Array<Scope>;
    /**
     * Null is never.
     */
    expires_in_days?: number | null;
};

/**
 * - `flows:read`: flows, node types, the library, the graph, dashboards, devices, modules
 * - `flows:write`: drafts, layout, checks, plans, drafts of dashboards
 * - `flows:publish`: publish, discard, rename, duplicate, delete, and all control of live flows; dashboards likewise
 * - `flows:code`: what of flows only superusers may change: code, commands, environment variables
 * - `runs:read`: runs, metrics, exports, bytes of artifacts
 * - `runs:write`: submit, import, cancel, retry and delete runs; store artifacts
 * - `messages:read`: the catalogue of messages, last values, history, the event socket
 * - `messages:publish`: publish messages; routes of connectors
 * - `devices:write`: devices and their pairing
 * - `observability:read`: state, cascades, measurements, events, dead letters, workers
 * - `admin`: everything
 */
export type Scope = 'flows:read' | 'flows:write' | 'flows:publish' | 'flows:code' | 'runs:read' | 'runs:write' | 'messages:read' | 'messages:publish' | 'devices:write' | 'observability:read' | 'admin';

export type AgentTokenCreate = {
    /**
     * Name of the agent, which the audit trail shows.
     */
    client: string;
    /**
     * What it may do, of all that you may.
     */
    scopes: Array<Scope>;
    /**
     * Days for which the token counts.
     */
    expires_in_days?: number;
};

export type OAuthClientCreate = {
    /**
     * What users are shown.
     */
    name: string;
    /**
     * Where a user is sent back to: https, http on this machine (any port will do), or a scheme of its own.
     */
    redirect_uris: Array<string>;
};

export type FlowDocument = {
    /**
     * Of the path, where it is given.
     */
    name?: string;
    /**
     * For people; empty when it has none.
     */
    title?: string;
    /**
     * For people; empty when it has none.
     */
    description?: string;
    /**
     * The version read; 0 means "does not exist yet".
     */
    version?: number;
    /**
     * Live or batch.
     */
    mode?: FlowMode;
    /**
     * Messages that come from outside.
     */
    inputs?: Array<FlowInput>;
    /**
     * Messages that are the result of a run.
     */
    outputs?: Array<FlowOutput>;
    /**
     * The graph.
     */
    nodes?: Array<NodeInput>;
    /**
     * What its node processes get and ask for.
     */
    resources?: Resources;
    /**
     * How many runs of the flow execute at once, in all engines together; null: no limit of its own.
     */
    concurrency?: number | null;
    /**
     * Where its nodes stand on a canvas.
     */
    layout?: {
        /**
         * Places of nodes by their ids. Ids that neither the draft nor the published form has are left out.
         */
        nodes?: {
            [key: string]: NodePosition;
        };
        [key: string]: JsonValue | {
            [key: string]: NodePosition;
        } | undefined;
    };
    /**
     * Of answers; ignored in a request.
     */
    status?: unknown;
    /**
     * Of answers; ignored in a request.
     */
    issues?: unknown;
    /**
     * Of answers; ignored in a request.
     */
    held?: unknown;
    /**
     * Of answers; ignored in a request.
     */
    has_draft?: unknown;
    /**
     * Of answers; ignored in a request.
     */
    published_version?: unknown;
    /**
     * Of answers; ignored in a request.
     */
    is_draft?: unknown;
    /**
     * Of answers; ignored in a request.
     */
    origin?: unknown;
    /**
     * Of answers; ignored in a request.
     */
    code?: unknown;
    /**
     * Of answers; ignored in a request.
     */
    node_states?: unknown;
    /**
     * Of answers; ignored in a request.
     */
    created_at?: unknown;
    /**
     * Of answers; ignored in a request.
     */
    updated_at?: unknown;
    /**
     * Of answers; ignored in a request.
     */
    updated_by?: unknown;
};

/**
 * `live` reacts to events while it is active; `batch` runs once for each set of parameters.
 */
export type FlowMode = 'live' | 'batch';

export type FlowInput = {
    /**
     * Of the message, without the flow.
     */
    name: string;
    /**
     * Type of the values.
     */
    dtype?: 'any' | 'float' | 'int' | 'str' | 'bool' | 'object' | 'array' | 'image' | 'media' | 'artifact' | 'dict' | 'list';
    /**
     * Value before there is another one; null on a dtype other than `any`: a run has to give it.
     */
    initial?: JsonValue;
    /**
     * For people; empty when it has none.
     */
    title?: string;
};

export type FlowOutput = {
    /**
     * Of the message, without the flow.
     */
    name: string;
    /**
     * Its key in the result of a run; the name unless given.
     */
    port?: string;
};

export type NodeInput = {
    /**
     * Unique in the flow.
     */
    id: string;
    /**
     * One of `GET /flows/node-types`.
     */
    type: string;
    /**
     * For people; empty when it has none.
     */
    title?: string;
    /**
     * By the JSON Schema that the type has as `params`. `{"$secret": "name"}` stands for a secret at any depth.
     */
    settings?: {
        [key: string]: JsonValue;
    };
    /**
     * Left out: the stored source is kept. Beside `library` it is only shown.
     */
    source?: string | null;
    /**
     * Name of the library source that the node executes; null: its own.
     */
    library?: string | null;
    /**
     * Where the code of a `code` node comes from; null of others.
     */
    entry?: CodeEntry | null;
    /**
     * Label or name of the workers that execute it; null: the engine itself.
     */
    worker?: string | null;
    /**
     * `prefer`: the engine executes it while no such worker is attached.
     */
    worker_policy?: 'require' | 'prefer';
    /**
     * Whether a run may take over stored outputs for it.
     */
    cache?: boolean;
    /**
     * Seconds of silence.
     */
    timeout?: number | null;
    /**
     * Execute the node again when it fails, as far as its type may be repeated; null: once.
     */
    retry?: NodeRetry | null;
    /**
     * Its ports; some types have fixed ones.
     */
    ports?: Array<PortInput>;
};

export type CodeEntry = {
    /**
     * Path of the module, from the folder of the project.
     */
    module: string;
    /**
     * Its export that defines the node.
     */
    export: string;
    /**
     * Of the bundle that is executed.
     */
    digest: string;
    /**
     * All files that are in the bundle.
     */
    modules: Array<{
        /**
         * From the folder of the project.
         */
        path: string;
        /**
         * Of the file.
         */
        digest: string;
    }>;
};

export type NodeRetry = {
    /**
     * Executions in all, the first one included.
     */
    attempts: number;
    /**
     * Pause after the first failure.
     */
    delay_s?: number;
    /**
     * Of each pause to the one before.
     */
    factor?: number;
    /**
     * No pause is longer.
     */
    max_delay_s?: number;
};

export type PortInput = {
    /**
     * Whether the node reads or publishes here.
     */
    direction: 'input' | 'output';
    /**
     * The message: `temp`, or `climate.temp` of another flow.
     */
    name?: string;
    /**
     * Defaults to the message part of `name`.
     */
    port?: string;
    /**
     * Type of the values; another one is refused.
     */
    dtype?: 'any' | 'float' | 'int' | 'str' | 'bool' | 'object' | 'array' | 'image' | 'media' | 'artifact' | 'dict' | 'list';
    /**
     * Seconds between two values on display.
     */
    interval?: number | null;
    /**
     * Outputs: values come while the node executes, and numbers of a run become a curve.
     */
    stream?: boolean;
    /**
     * Ports of devices: values are sent only while somebody wants them.
     */
    on_demand?: boolean;
    /**
     * Inputs only: whether an arrival runs the node.
     */
    trigger?: boolean;
    /**
     * Read in place of a missing `name`.
     */
    message?: string;
};

export type Resources = {
    /**
     * Variables of the environment of its node processes.
     */
    env?: {
        [key: string]: string;
    };
    /**
     * A named size; amounts beside it win.
     */
    flavor?: string | null;
    /**
     * Processors that a call takes; null: any.
     */
    cpus?: number | null;
    /**
     * GPUs that a call takes; null: any.
     */
    gpus?: number | null;
    /**
     * Memory that a call takes, in MB; null: any.
     */
    memory?: number | null;
    /**
     * Name of the interpreter that executes the Python nodes; the usual one unless given.
     */
    python?: string;
};

/**
 * In units of whoever draws; x grows to the right, y downwards.
 */
export type NodePosition = {
    /**
     * To the right.
     */
    x: number;
    /**
     * Downwards.
     */
    y: number;
};

/**
 * Further keys belong to whoever draws: zoom, colours, notes.
 */
export type LayoutInput = {
    /**
     * Places of nodes by their ids. Ids that neither the draft nor the published form has are left out.
     */
    nodes: {
        [key: string]: NodePosition;
    };
    [key: string]: JsonValue | {
        [key: string]: NodePosition;
    };
};

export type PublishRequest = {
    /**
     * The version that was read.
     */
    version: number;
    /**
     * Make every node anew, not only those that have changed.
     */
    restart?: boolean;
};

export type RenameRequest = {
    /**
     * The new name, which no other flow has.
     */
    name: string;
};

export type DuplicateRequest = {
    /**
     * Defaults to `{name}_copy`.
     */
    name?: string;
};

export type FlowRunRequest = {
    /**
     * Values by the name of an input, in place of the initial ones.
     */
    inputs?: {
        [key: string]: JsonValue;
    };
};

export type TriggerRequest = {
    /**
     * Values by input port, in place of the last ones.
     */
    values?: {
        [key: string]: JsonValue;
    };
};

export type SourceUpdate = {
    /**
     * The new text.
     */
    code: string;
    /**
     * As the source was read; left out: whatever it is now.
     */
    version?: number;
};

export type ShareRequest = {
    /**
     * Defaults to the id of the node.
     */
    name?: string;
};

export type RestoreRequest = {
    /**
     * The version of the flow that was read.
     */
    version: number;
};

export type PublishMessage = {
    /**
     * Of the dtype of the message.
     */
    value: JsonValue;
};

export type RunSubmit = {
    /**
     * Values of inputs by name; one that is left out has its initial value.
     */
    params?: {
        [key: string]: JsonValue;
    };
    /**
     * Fills the input `seed`, if the flow has one, and is recorded.
     */
    seed?: number;
    /**
     * The draft in place of the published version.
     */
    draft?: boolean;
    /**
     * Execute every stage; what comes out is stored.
     */
    no_cache?: boolean;
    /**
     * Higher is executed first; runs of one priority in the order of their submission.
     */
    priority?: number;
    /**
     * A key that was used before answers with the run submitted then.
     */
    idempotency_key?: string;
};

export type RunPlanSubmit = {
    /**
     * Values of inputs by name, of one run.
     */
    params?: {
        [key: string]: JsonValue;
    };
    /**
     * Of one run.
     */
    seed?: number;
    /**
     * The params of each run.
     */
    runs?: Array<{
        [key: string]: JsonValue;
    }>;
    /**
     * One for each entry of `runs`.
     */
    seeds?: Array<number>;
    /**
     * The draft in place of the published version.
     */
    draft?: boolean;
    /**
     * Execute every stage; what comes out is stored.
     */
    no_cache?: boolean;
};

export type RunAnnotation = {
    /**
     * What is written about the run, in place of what was.
     */
    note?: string;
    /**
     * Its tags, in place of those that it had.
     */
    tags?: Array<RunTag>;
    /**
     * Whether it is pinned.
     */
    pinned?: boolean;
    /**
     * Whether lists leave it out unless they are asked for it.
     */
    archived?: boolean;
};

/**
 * A word by which runs are found: 1 to 64 characters without white space.
 */
export type RunTag = string;

export type RunsAnnotation = {
    /**
     * The runs; each has to exist.
     */
    ids: Array<string>;
    /**
     * Tags that each of them gets.
     */
    add_tags?: Array<RunTag>;
    /**
     * Tags that none of them keeps.
     */
    remove_tags?: Array<RunTag>;
    /**
     * Whether it is pinned.
     */
    pinned?: boolean;
    /**
     * Whether lists leave it out unless they are asked for it.
     */
    archived?: boolean;
};

export type RunTrack = {
    /**
     * Chosen by the client, so that it can ask again: a UUID of version 7. Else by the engine.
     */
    id?: string;
    /**
     * Under which name the run is listed. No flow has to be there, and none is made.
     */
    flow: string;
    /**
     * What it was given, by name. Nothing is checked.
     */
    params?: {
        [key: string]: JsonValue;
    };
    /**
     * Seed of the run.
     */
    seed?: number;
    /**
     * What is written about it.
     */
    note?: string;
    /**
     * Words by which it is found.
     */
    tags?: Array<RunTag>;
    /**
     * Commit of the sources that execute.
     */
    commit?: string;
    /**
     * When it began; now unless given.
     */
    started_at?: string;
};

export type RunTrackAppend = {
    /**
     * Counts what is sent of the run, from 1. Alone it says: still running.
     */
    seq: number;
    /**
     * Points of curves.
     */
    metrics?: Array<TrackedCurve>;
    /**
     * Further params; a known name has this value from now on.
     */
    params?: {
        [key: string]: JsonValue;
    };
    /**
     * Further results; likewise.
     */
    result?: {
        [key: string]: JsonValue;
    };
    /**
     * What the program has printed since.
     */
    logs?: string;
    /**
     * Stored bytes that belong to the run.
     */
    artifacts?: Array<TrackedArtifact>;
    /**
     * Ends the run.
     */
    status?: 'ok' | 'error' | 'cancelled';
    /**
     * Why it failed; with `status: "error"`.
     */
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
};

export type TrackedCurve = {
    /**
     * Of the curve.
     */
    name: string;
    /**
     * Ascending, also behind those that were sent before.
     */
    steps: Array<number>;
    /**
     * As many as there are steps; NaN and infinities as strings.
     */
    values: Array<number | 'NaN' | 'Infinity' | '-Infinity'>;
    /**
     * When each was, in ms since 1970; the time of arrival unless given.
     */
    ts?: Array<number>;
};

export type TrackedArtifact = {
    /**
     * File name, shown when the bytes are downloaded.
     */
    name: string;
    /**
     * Of bytes that were stored before.
     */
    digest: string;
};

export type SweepSubmit = {
    /**
     * The params of each run.
     */
    runs: Array<{
        [key: string]: JsonValue;
    }>;
    /**
     * One for each entry of `runs`.
     */
    seeds?: Array<number>;
    /**
     * The draft in place of the published version.
     */
    draft?: boolean;
    /**
     * Execute every stage; what comes out is stored.
     */
    no_cache?: boolean;
    /**
     * Higher is executed first; runs of one priority in the order of their submission.
     */
    priority?: number;
};

export type RunImport = {
    /**
     * Runs that ended elsewhere.
     */
    runs: Array<ImportedRun>;
};

export type ImportedRun = {
    /**
     * Name of a flow that is here.
     */
    flow: string;
    /**
     * Names the run for ever: a repeat is no other run.
     */
    external_id: string;
    /**
     * Values of its inputs by name.
     */
    params?: {
        [key: string]: JsonValue;
    };
    /**
     * Seed of the run.
     */
    seed?: number;
    /**
     * How it ended.
     */
    status: 'ok' | 'error' | 'cancelled' | 'abandoned';
    /**
     * When it was submitted there.
     */
    created_at: string;
    /**
     * When it ended there; not known unless given.
     */
    finished_at?: string;
    /**
     * Its outputs by name.
     */
    result?: {
        [key: string]: JsonValue;
    };
    /**
     * Points of all of its curves.
     */
    metrics?: Array<ImportedMetricPoint>;
    /**
     * Bytes that it brings.
     */
    artifacts?: Array<ImportedArtifact>;
};

export type ImportedMetricPoint = {
    /**
     * A message of the flow, bare or as `<flow>.<message>`.
     */
    name: string;
    /**
     * Place of the point in its curve, from 0.
     */
    step: number;
    /**
     * Left out: the `created_at` of the run.
     */
    ts?: string;
    /**
     * The value.
     */
    value: number | 'NaN' | 'Infinity' | '-Infinity';
};

export type ImportedArtifact = {
    /**
     * File name, shown when the bytes are downloaded.
     */
    name: string;
    /**
     * Media type of the bytes.
     */
    media_type?: string;
    /**
     * The bytes in base64.
     */
    data: string;
};

export type CurveComparisonRequest = {
    /**
     * Ids of the runs.
     */
    ids: Array<string>;
    /**
     * Messages, bare or as `<flow>.<message>`.
     */
    metrics: Array<string>;
    /**
     * `step`, `time` (seconds since the start of the run), or another metric, joined at equal steps.
     */
    x?: string;
    /**
     * Most points of a curve; null for all. The least and greatest value of each range stay.
     */
    points?: number | null;
    /**
     * Only points of later steps.
     */
    after_step?: number;
    /**
     * An input, as `params.lr`: means and spread over the runs that share its value.
     */
    group?: string;
};

export type ArtifactUploadBody = {
    /**
     * SHA-256 of the bytes that are to come.
     */
    digest: string;
    /**
     * Bytes that are to come.
     */
    size: number;
    /**
     * File name, shown when the bytes are downloaded.
     */
    name?: string;
    /**
     * Media type of the bytes (RFC 6838).
     */
    media_type?: string;
};

export type DashboardCreate = {
    /**
     * For people.
     */
    title?: string;
    /**
     * Its widgets and their grid.
     */
    content?: DashboardContent;
};

/**
 * Widgets on a grid.
 */
export type DashboardContent = {
    /**
     * Of the grid.
     */
    columns?: number;
    /**
     * In no order: each has its place.
     */
    widgets?: Array<Widget>;
};

export type Widget = ({
    type: 'value';
} & ValueWidget) | ({
    type: 'gauge';
} & GaugeWidget) | ({
    type: 'chart';
} & ChartWidget) | ({
    type: 'table';
} & TableWidget) | ({
    type: 'image';
} & ImageWidget) | ({
    type: 'text';
} & TextWidget) | ({
    type: 'button';
} & ButtonWidget) | ({
    type: 'switch';
} & SwitchWidget) | ({
    type: 'slider';
} & SliderWidget) | ({
    type: 'input';
} & InputWidget);

export type ValueWidget = {
    /**
     * Once in a dashboard.
     */
    id: string;
    /**
     * Decides what the options are.
     */
    type: 'value';
    /**
     * Text above it.
     */
    title?: string;
    /**
     * Column of its left edge, from 0.
     */
    x: number;
    /**
     * Row of its upper edge, from 0.
     */
    y: number;
    /**
     * Columns that it takes.
     */
    w: number;
    /**
     * Rows that it takes.
     */
    h: number;
    /**
     * The message that is shown, or published by a control.
     */
    binding?: WidgetBinding | null;
    /**
     * What charts and tables show besides.
     */
    source?: ChartSource | null;
    /**
     * What this type alone has.
     */
    options?: ValueOptions;
};

export type WidgetBinding = {
    /**
     * Qualified: `<flow>.<message>`.
     */
    message: string;
};

/**
 * Where the curves of a chart, or the rows of a table, come from.
 */
export type ChartSource = ({
    kind: 'messages';
} & MessagesSource) | ({
    kind: 'runs';
} & RunsSource);

export type MessagesSource = {
    /**
     * Values of messages over time.
     */
    kind: 'messages';
    /**
     * Qualified: `<flow>.<message>`.
     */
    messages: Array<string>;
    /**
     * How far back, in seconds; all that is kept unless given.
     */
    window_s?: number;
};

export type RunsSource = {
    /**
     * Curves or results of runs.
     */
    kind: 'runs';
    /**
     * Which runs.
     */
    select: RunSelection;
    /**
     * Curves by name, such as `fit.loss`. Without any, the results of the runs are meant.
     */
    metrics: Array<string>;
    /**
     * `step` unless given, `time`, or another curve.
     */
    x?: string;
};

export type LatestRuns = {
    /**
     * How many of the newest runs.
     */
    latest: number;
    /**
     * Of the runs.
     */
    flow: string;
};

export type RunsOfSweep = {
    /**
     * Of a sweep.
     */
    group_id: string;
};

export type ChosenRuns = {
    /**
     * Of the runs.
     */
    ids: Array<string>;
};

/**
 * Which runs: the newest of a flow, those of a sweep, or these.
 */
export type RunSelection = LatestRuns | RunsOfSweep | ChosenRuns;

export type ValueOptions = {
    /**
     * Shown behind the number.
     */
    unit?: string;
    /**
     * Digits behind the point; all unless given.
     */
    decimals?: number;
};

export type GaugeWidget = {
    /**
     * Once in a dashboard.
     */
    id: string;
    /**
     * Decides what the options are.
     */
    type: 'gauge';
    /**
     * Text above it.
     */
    title?: string;
    /**
     * Column of its left edge, from 0.
     */
    x: number;
    /**
     * Row of its upper edge, from 0.
     */
    y: number;
    /**
     * Columns that it takes.
     */
    w: number;
    /**
     * Rows that it takes.
     */
    h: number;
    /**
     * The message that is shown, or published by a control.
     */
    binding?: WidgetBinding | null;
    /**
     * What charts and tables show besides.
     */
    source?: ChartSource | null;
    /**
     * What this type alone has.
     */
    options?: GaugeOptions;
};

export type GaugeOptions = {
    /**
     * At the left end.
     */
    min?: number;
    /**
     * At the right end; above `min`.
     */
    max?: number;
    /**
     * Shown behind the number.
     */
    unit?: string;
    /**
     * From which values which level holds.
     */
    thresholds?: Array<Threshold>;
};

export type Threshold = {
    /**
     * The level holds from this value on.
     */
    from: number;
    /**
     * How values are shown from there on.
     */
    level: 'ok' | 'warning' | 'error';
};

export type ChartWidget = {
    /**
     * Once in a dashboard.
     */
    id: string;
    /**
     * Decides what the options are.
     */
    type: 'chart';
    /**
     * Text above it.
     */
    title?: string;
    /**
     * Column of its left edge, from 0.
     */
    x: number;
    /**
     * Row of its upper edge, from 0.
     */
    y: number;
    /**
     * Columns that it takes.
     */
    w: number;
    /**
     * Rows that it takes.
     */
    h: number;
    /**
     * The message that is shown, or published by a control.
     */
    binding?: WidgetBinding | null;
    /**
     * What charts and tables show besides.
     */
    source?: ChartSource | null;
    /**
     * What this type alone has.
     */
    options?: ChartOptions;
};

export type ChartOptions = {
    /**
     * Whether x has a logarithmic scale; not unless given.
     */
    log_x?: boolean;
    /**
     * Whether y has a logarithmic scale; not unless given.
     */
    log_y?: boolean;
    /**
     * How much of a point is made of those before it; 0 is none.
     */
    smoothing?: number;
    /**
     * Shown behind the number.
     */
    unit?: string;
};

export type TableWidget = {
    /**
     * Once in a dashboard.
     */
    id: string;
    /**
     * Decides what the options are.
     */
    type: 'table';
    /**
     * Text above it.
     */
    title?: string;
    /**
     * Column of its left edge, from 0.
     */
    x: number;
    /**
     * Row of its upper edge, from 0.
     */
    y: number;
    /**
     * Columns that it takes.
     */
    w: number;
    /**
     * Rows that it takes.
     */
    h: number;
    /**
     * The message that is shown, or published by a control.
     */
    binding?: WidgetBinding | null;
    /**
     * What charts and tables show besides.
     */
    source?: ChartSource | null;
    /**
     * What this type alone has.
     */
    options?: TableOptions;
};

export type TableOptions = {
    /**
     * Which columns, in this order; all unless given.
     */
    columns?: Array<string>;
    /**
     * Rows, at most.
     */
    limit?: number;
};

export type ImageWidget = {
    /**
     * Once in a dashboard.
     */
    id: string;
    /**
     * Decides what the options are.
     */
    type: 'image';
    /**
     * Text above it.
     */
    title?: string;
    /**
     * Column of its left edge, from 0.
     */
    x: number;
    /**
     * Row of its upper edge, from 0.
     */
    y: number;
    /**
     * Columns that it takes.
     */
    w: number;
    /**
     * Rows that it takes.
     */
    h: number;
    /**
     * The message that is shown, or published by a control.
     */
    binding?: WidgetBinding | null;
    /**
     * What charts and tables show besides.
     */
    source?: ChartSource | null;
    /**
     * What this type alone has.
     */
    options?: ImageOptions;
};

export type ImageOptions = {
    /**
     * A stored picture, which is kept as long as it is shown.
     */
    artifact?: ImageArtifact;
};

export type ImageArtifact = {
    /**
     * SHA-256 of the bytes: `sha256:` and 64 hexadecimal digits.
     */
    digest: string;
    /**
     * File name, shown when the bytes are downloaded.
     */
    name: string;
    /**
     * Media type (RFC 6838), such as `image/png`.
     */
    media_type: string;
    /**
     * Bytes.
     */
    size: number;
    /**
     * The bytes are kept in memory alone, and go when newer ones need the room.
     */
    volatile?: boolean;
};

export type TextWidget = {
    /**
     * Once in a dashboard.
     */
    id: string;
    /**
     * Decides what the options are.
     */
    type: 'text';
    /**
     * Text above it.
     */
    title?: string;
    /**
     * Column of its left edge, from 0.
     */
    x: number;
    /**
     * Row of its upper edge, from 0.
     */
    y: number;
    /**
     * Columns that it takes.
     */
    w: number;
    /**
     * Rows that it takes.
     */
    h: number;
    /**
     * The message that is shown, or published by a control.
     */
    binding?: WidgetBinding | null;
    /**
     * What charts and tables show besides.
     */
    source?: ChartSource | null;
    /**
     * What this type alone has.
     */
    options: TextOptions;
};

export type TextOptions = {
    /**
     * Markdown without HTML: tags in it are text.
     */
    markdown: string;
};

export type ButtonWidget = {
    /**
     * Once in a dashboard.
     */
    id: string;
    /**
     * Decides what the options are.
     */
    type: 'button';
    /**
     * Text above it.
     */
    title?: string;
    /**
     * Column of its left edge, from 0.
     */
    x: number;
    /**
     * Row of its upper edge, from 0.
     */
    y: number;
    /**
     * Columns that it takes.
     */
    w: number;
    /**
     * Rows that it takes.
     */
    h: number;
    /**
     * The message that is shown, or published by a control.
     */
    binding?: WidgetBinding | null;
    /**
     * What charts and tables show besides.
     */
    source?: ChartSource | null;
    /**
     * What this type alone has.
     */
    options?: ButtonOptions;
};

export type ButtonOptions = {
    /**
     * What a click publishes.
     */
    value?: JsonValue;
    /**
     * Text on the button.
     */
    label?: string;
};

export type SwitchWidget = {
    /**
     * Once in a dashboard.
     */
    id: string;
    /**
     * Decides what the options are.
     */
    type: 'switch';
    /**
     * Text above it.
     */
    title?: string;
    /**
     * Column of its left edge, from 0.
     */
    x: number;
    /**
     * Row of its upper edge, from 0.
     */
    y: number;
    /**
     * Columns that it takes.
     */
    w: number;
    /**
     * Rows that it takes.
     */
    h: number;
    /**
     * The message that is shown, or published by a control.
     */
    binding?: WidgetBinding | null;
    /**
     * What charts and tables show besides.
     */
    source?: ChartSource | null;
    /**
     * What this type alone has.
     */
    options?: SwitchOptions;
};

export type SwitchOptions = {
    /**
     * What is published when it is switched on.
     */
    on?: JsonValue;
    /**
     * What is published when it is switched off.
     */
    off?: JsonValue;
};

export type SliderWidget = {
    /**
     * Once in a dashboard.
     */
    id: string;
    /**
     * Decides what the options are.
     */
    type: 'slider';
    /**
     * Text above it.
     */
    title?: string;
    /**
     * Column of its left edge, from 0.
     */
    x: number;
    /**
     * Row of its upper edge, from 0.
     */
    y: number;
    /**
     * Columns that it takes.
     */
    w: number;
    /**
     * Rows that it takes.
     */
    h: number;
    /**
     * The message that is shown, or published by a control.
     */
    binding?: WidgetBinding | null;
    /**
     * What charts and tables show besides.
     */
    source?: ChartSource | null;
    /**
     * What this type alone has.
     */
    options: SliderOptions;
};

export type SliderOptions = {
    /**
     * The smallest value.
     */
    min: number;
    /**
     * The largest value; above `min`.
     */
    max: number;
    /**
     * Between two values.
     */
    step?: number;
};

export type InputWidget = {
    /**
     * Once in a dashboard.
     */
    id: string;
    /**
     * Decides what the options are.
     */
    type: 'input';
    /**
     * Text above it.
     */
    title?: string;
    /**
     * Column of its left edge, from 0.
     */
    x: number;
    /**
     * Row of its upper edge, from 0.
     */
    y: number;
    /**
     * Columns that it takes.
     */
    w: number;
    /**
     * Rows that it takes.
     */
    h: number;
    /**
     * The message that is shown, or published by a control.
     */
    binding?: WidgetBinding | null;
    /**
     * What charts and tables show besides.
     */
    source?: ChartSource | null;
    /**
     * What this type alone has.
     */
    options?: InputOptions;
};

export type InputOptions = {
    /**
     * Shown while nothing is typed.
     */
    placeholder?: string;
};

export type DashboardSave = {
    /**
     * For people; what it is stays unless given.
     */
    title?: string;
    /**
     * Its widgets and their grid.
     */
    content?: DashboardContent;
    /**
     * The version that was read: refused when it is no longer that.
     */
    version?: number;
};

export type DashboardPublish = {
    /**
     * The version that was read: refused when it is no longer that.
     */
    version?: number;
};

export type DeviceCreate = {
    /**
     * The id unless given.
     */
    name?: string;
};

export type DeviceSave = {
    /**
     * The version that was read.
     */
    version: number;
    /**
     * For people.
     */
    name?: string;
};

export type DeviceReport = {
    [key: string]: JsonValue;
};

export type PairingStart = {
    /**
     * What it calls itself, for people.
     */
    name?: string;
    /**
     * What hardware it is.
     */
    board?: string;
    /**
     * What software it runs.
     */
    firmware?: string;
};

export type PairRequest = PairByCode | PairByRequest;

export type PairByCode = {
    /**
     * What the device shows.
     */
    code: string;
};

export type PairByRequest = {
    /**
     * Id of a pending request.
     */
    request: string;
};

export type SecretValue = {
    /**
     * Text of at most 64 KiB. Values of fewer than 8 characters are not masked in logs.
     */
    value: string;
};

export type WorkerTokenCreate = {
    /**
     * Name of the worker. No other live token may have it.
     */
    name: string;
    /**
     * What nodes ask for by `worker`, beside the name.
     */
    labels?: Array<string>;
};

export type FlavorCreate = {
    /**
     * By which flows name it.
     */
    name: string;
    /**
     * Processors.
     */
    cpus: number;
    /**
     * GPUs.
     */
    gpus: number;
    /**
     * Memory in MB.
     */
    ram_mb: number;
    /**
     * For people.
     */
    description?: string;
};

export type FlavorUpdate = {
    /**
     * Processors.
     */
    cpus?: number;
    /**
     * GPUs.
     */
    gpus?: number;
    /**
     * Memory in MB.
     */
    ram_mb?: number;
    /**
     * For people.
     */
    description?: string;
};

export type ModulesApply = {
    /**
     * One requirement a line: `numpy>=2`, or `npm:<package>@<range>`; comments with `#`. Nothing removes everything.
     */
    requirements: string;
};

export type AlertConfigInput = {
    /**
     * Whether any alert is sent.
     */
    enabled?: boolean;
    /**
     * Seconds from one message to the next about the same thing. What happens between is counted, and told at the end as one message.
     */
    min_interval_s?: number;
    /**
     * What alerts are sent about; all unless given.
     */
    events?: Array<AlertEvent>;
    /**
     * Where alerts go.
     */
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
};

/**
 * - `flow_failed`: a live flow could not be started, or runs nowhere though it should
 * - `node_failed`: an execution of a live node has failed
 * - `run_error`: a run has ended with an error
 * - `run_abandoned`: a run was given up, because its engine stopped
 * - `worker_lost`: a worker has disconnected during calls, or was silent for 90 seconds
 * - `connector_down`: a node has lost its connection
 * - `store_unavailable`: the database has failed two checks in a row
 * - `queue_stalled`: a run waits for 300 seconds though there is room for it
 */
export type AlertEvent = 'flow_failed' | 'node_failed' | 'run_error' | 'run_abandoned' | 'worker_lost' | 'connector_down' | 'store_unavailable' | 'queue_stalled';

export type SecretRef = {
    /**
     * Name of the secret.
     */
    $secret: string;
};

export type ReplayRequest = {
    /**
     * Only of this flow.
     */
    flow?: string;
    /**
     * Only of this node.
     */
    node?: string;
    /**
     * Only those that were not done for this reason.
     */
    reason?: 'crash' | 'overflow' | 'expired' | 'loop_limit' | 'lease' | 'stopped';
    /**
     * Only of this time and later.
     */
    since?: string;
    /**
     * Only before this time.
     */
    until?: string;
};

export type Token = {
    /**
     * Send it as `Authorization: Bearer …`.
     */
    access_token: string;
    /**
     * How it is sent (RFC 6750).
     */
    token_type: 'bearer';
    /**
     * Seconds for which it counts.
     */
    expires_in: number;
};

/**
 * Every answer that is not a success has this shape.
 */
export type Problem = {
    /**
     * `urn:service:problem:<code>`
     */
    type: string;
    /**
     * Fixed for each code.
     */
    title: string;
    /**
     * The status of the answer.
     */
    status: number;
    /**
     * What failed this time, with which value, and what to do.
     */
    detail: string;
    /**
     * What programs branch on.
     */
    code: 'bad_request' | 'malformed_json' | 'invalid_credentials' | 'wrong_mode' | 'environment_adopted' | 'invalid_token' | 'channel_not_configured' | 'unauthenticated' | 'forbidden' | 'not_found' | 'message_not_declared' | 'method_not_allowed' | 'request_timeout' | 'version_conflict' | 'already_exists' | 'in_use' | 'flow_has_active_runs' | 'run_active' | 'already_paired' | 'last_superuser' | 'apply_running' | 'not_published' | 'not_active' | 'not_paused' | 'code_defined' | 'payload_too_large' | 'unsupported_media_type' | 'validation_failed' | 'flow_invalid' | 'rate_limited' | 'internal' | 'unavailable';
    /**
     * With `forbidden`: the scope that the key or token lacks.
     */
    required_scope?: string;
    /**
     * With `version_conflict`: reload, merge, save again.
     */
    current_version?: number;
    /**
     * The places of the request that are wrong, with `validation_failed`.
     */
    errors?: Array<ProblemItem>;
    [key: string]: unknown;
};

export type ProblemItem = {
    /**
     * JSON Pointer into the body, or `query.<name>`.
     */
    path: string;
    /**
     * For programs.
     */
    code: string;
    /**
     * What is wrong there, and what to give instead.
     */
    message: string;
};

export type User = {
    /**
     * Of the user, for good.
     */
    id: string;
    /**
     * Address by which the user signs in.
     */
    email: string;
    /**
     * For people; null while it is not given.
     */
    full_name: string | null;
    /**
     * Whether the user may sign in.
     */
    is_active: boolean;
    /**
     * Whether the user may do everything, and manage others.
     */
    is_superuser: boolean;
};

export type MessageText = {
    /**
     * A sentence for people.
     */
    message: string;
};

export type UserAdmin = {
    /**
     * Of the user, for good.
     */
    id: string;
    /**
     * Address by which the user signs in.
     */
    email: string;
    /**
     * For people; null while it is not given.
     */
    full_name: string | null;
    /**
     * Whether the user may sign in.
     */
    is_active: boolean;
    /**
     * Whether the user may do everything, and manage others.
     */
    is_superuser: boolean;
    /**
     * ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.
     */
    created_at: string;
    /**
     * When the user signed in last; null before the first time.
     */
    last_sign_in_at: string | null;
    /**
     * None of who was invited and has chosen no password.
     */
    sign_in: Array<'password' | 'oidc'>;
};

export type UserCreated = {
    /**
     * Of the user, for good.
     */
    id: string;
    /**
     * Address by which the user signs in.
     */
    email: string;
    /**
     * For people; null while it is not given.
     */
    full_name: string | null;
    /**
     * Whether the user may sign in.
     */
    is_active: boolean;
    /**
     * Whether the user may do everything, and manage others.
     */
    is_superuser: boolean;
    /**
     * ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.
     */
    created_at: string;
    /**
     * When the user signed in last; null before the first time.
     */
    last_sign_in_at: string | null;
    /**
     * None of who was invited and has chosen no password.
     */
    sign_in: Array<'password' | 'oidc'>;
    /**
     * Good for 24 hours and one use; null where it was mailed.
     */
    invite_url: string | null;
};

export type ApiKey = {
    /**
     * By which it is revoked.
     */
    id: string;
    /**
     * No other live key of the owner has it.
     */
    name: string;
    /**
     * The beginning of the key, for example `fsk_4Jx0aZ9q`.
     */
    prefix: string;
    /**
     * What the key is good for, of all that its owner may do.
     */
    scopes: Array<Scope>;
    /**
     * Whom the key signs in.
     */
    owner: {
        /**
         * Of the user.
         */
        id: string;
        /**
         * Address of the user.
         */
        email: string;
    };
    /**
     * ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.
     */
    created_at: string;
    /**
     * Null is never.
     */
    expires_at: string | null;
    /**
     * To the minute.
     */
    last_used_at: string | null;
    /**
     * When it was ended; null while it counts or has expired.
     */
    revoked_at: string | null;
};

export type ApiKeyMinted = {
    /**
     * By which it is revoked.
     */
    id: string;
    /**
     * No other live key of the owner has it.
     */
    name: string;
    /**
     * The beginning of the key, for example `fsk_4Jx0aZ9q`.
     */
    prefix: string;
    /**
     * What the key is good for, of all that its owner may do.
     */
    scopes: Array<Scope>;
    /**
     * Whom the key signs in.
     */
    owner: {
        /**
         * Of the user.
         */
        id: string;
        /**
         * Address of the user.
         */
        email: string;
    };
    /**
     * ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.
     */
    created_at: string;
    /**
     * Null is never.
     */
    expires_at: string | null;
    /**
     * To the minute.
     */
    last_used_at: string | null;
    /**
     * When it was ended; null while it counts or has expired.
     */
    revoked_at: string | null;
    /**
     * Shown this once: send it as `Authorization: Bearer …`.
     */
    key: string;
};

export type SignInMethods = {
    password: true;
    /**
     * Whether a forgotten password can be replaced by mail.
     */
    recovery: boolean;
    /**
     * OpenID Connect; null while it is not configured.
     */
    oidc: SignInProvider | null;
};

export type SignInProvider = {
    /**
     * To be shown to people.
     */
    name: string;
};

export type AgentToken = {
    /**
     * By which it is revoked.
     */
    id: string;
    /**
     * Name of the agent.
     */
    client: string;
    /**
     * A token that was made here; or the consent of its owner in a browser, with all tokens that came of it.
     */
    origin: 'minted' | 'consent';
    /**
     * What the agent may do, of all that its owner may.
     */
    scopes: Array<Scope>;
    /**
     * The user for whom the agent acts.
     */
    owner: {
        /**
         * Of the user.
         */
        id: string;
        /**
         * Address of the user.
         */
        email: string;
    };
    /**
     * ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.
     */
    created_at: string;
    /**
     * ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.
     */
    expires_at: string;
    /**
     * To the minute.
     */
    last_used_at: string | null;
    /**
     * When it was ended; null while it counts or has expired.
     */
    revoked_at: string | null;
};

export type AgentTokenMinted = {
    /**
     * By which it is revoked.
     */
    id: string;
    /**
     * Name of the agent.
     */
    client: string;
    /**
     * A token that was made here; or the consent of its owner in a browser, with all tokens that came of it.
     */
    origin: 'minted' | 'consent';
    /**
     * What the agent may do, of all that its owner may.
     */
    scopes: Array<Scope>;
    /**
     * The user for whom the agent acts.
     */
    owner: {
        /**
         * Of the user.
         */
        id: string;
        /**
         * Address of the user.
         */
        email: string;
    };
    /**
     * ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.
     */
    created_at: string;
    /**
     * ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.
     */
    expires_at: string;
    /**
     * To the minute.
     */
    last_used_at: string | null;
    /**
     * When it was ended; null while it counts or has expired.
     */
    revoked_at: string | null;
    /**
     * Shown this once: give it to the agent as SERVICE_TOKEN.
     */
    token: string;
};

export type OAuthClient = {
    /**
     * Its `client_id`; it has no secret.
     */
    id: string;
    /**
     * What users are shown.
     */
    name: string;
    /**
     * Where a user may be sent back to.
     */
    redirect_uris: Array<string>;
    /**
     * It has made itself known, where that is allowed.
     */
    registered: boolean;
    /**
     * ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.
     */
    created_at: string;
};

export type FlowListItem = {
    /**
     * By which it is addressed.
     */
    name: string;
    /**
     * For people; empty when it has none.
     */
    title: string;
    /**
     * Live or batch.
     */
    mode: FlowMode;
    /**
     * What the flow is doing.
     */
    status: FlowStatus;
    /**
     * Deliveries that wait while it is paused.
     */
    held: number;
    /**
     * Grows with every save.
     */
    version: number;
    /**
     * What is published; null while nothing is.
     */
    published_version: number | null;
    /**
     * Whether something is saved and not published.
     */
    has_draft: boolean;
    /**
     * Whether it was made over the API, or by code of the engine.
     */
    origin: 'api' | 'code';
    /**
     * How many issues it has.
     */
    issues: {
        /**
         * Those that block it.
         */
        error: number;
        /**
         * Those with which it works, but impaired.
         */
        warning: number;
        /**
         * Those that are advice.
         */
        advisory: number;
    };
    /**
     * Nodes with a failure marker, also while the flow is stopped.
     */
    failed_nodes: number;
    /**
     * ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.
     */
    updated_at: string;
    /**
     * When it last did something: the newest value of its messages, the newest execution in it while this engine runs it, or its newest run; null until then.
     */
    last_activity_at: string | null;
};

/**
 * `ready`: a batch flow that can run. `failed`: it should be active, and could not be built.
 */
export type FlowStatus = 'draft' | 'ready' | 'stopped' | 'active' | 'paused' | 'failed';

export type NodeType = {
    /**
     * What `type` of a node names.
     */
    type: string;
    /**
     * For people.
     */
    title: string;
    /**
     * What it does.
     */
    description: string;
    /**
     * Where it stands in the catalogue.
     */
    category: 'function' | 'network' | 'logic' | 'device' | 'system' | 'connector';
    /**
     * npm package that it comes from; null of built-in types.
     */
    package: string | null;
    /**
     * Of that package.
     */
    version: string | null;
    /**
     * Of the interface between engine and package; null of built-in types.
     */
    contract: number | null;
    /**
     * Whether nodes of it can start here.
     */
    available: boolean;
    /**
     * What has to be installed for that; null when nothing is missing.
     */
    missing: string | null;
    /**
     * Kinds of flows that may have it.
     */
    modes: Array<FlowMode>;
    /**
     * Whether its nodes have code.
     */
    has_source: boolean;
    /**
     * Whether only superusers may add nodes of it, and change their code.
     */
    superuser: boolean;
    /**
     * Which ports its nodes may have.
     */
    ports: {
        /**
         * `any`: as its node declares them.
         */
        inputs: 'none' | 'any' | 'fixed';
        /**
         * `any`: as its node declares them.
         */
        outputs: 'none' | 'any' | 'fixed';
        /**
         * Ports that each of its nodes has.
         */
        fixed: Array<{
            /**
             * Whether the node reads or publishes there.
             */
            direction: 'input' | 'output';
            /**
             * By which it is known.
             */
            port: string;
            /**
             * Type of its values.
             */
            dtype: Dtype;
            /**
             * Whether an arrival runs the node.
             */
            trigger: boolean;
        }>;
    };
    /**
     * JSON Schema (2020-12) of its settings.
     */
    params: {
        [key: string]: unknown;
    };
};

/**
 * Type of a message’s values.
 */
export type Dtype = 'any' | 'float' | 'int' | 'str' | 'bool' | 'object' | 'array' | 'image' | 'media' | 'artifact';

export type FlowGraph = {
    /**
     * Flows and devices.
     */
    nodes: Array<FlowGraphNode>;
    /**
     * Who reads messages of whom.
     */
    edges: Array<FlowGraphEdge>;
};

export type FlowGraphNode = {
    /**
     * Kind and name: `flow:climate`.
     */
    id: string;
    /**
     * A flow, or a device that flows wire.
     */
    kind: 'flow' | 'device';
    /**
     * Name of the flow, or id of the device.
     */
    name: string;
    /**
     * Null for devices.
     */
    mode: FlowMode | null;
    /**
     * Null for devices.
     */
    status: FlowStatus | null;
    /**
     * The worst of its nodes, a failed one is `degraded`; `down` for a flow that failed to start.
     */
    health: 'ok' | 'degraded' | 'down';
    /**
     * How many issues it has, of any severity.
     */
    issues: number;
};

export type FlowGraphEdge = {
    /**
     * Id of the node whose messages are read, or which publishes them.
     */
    from: string;
    /**
     * Id of the node that reads them.
     */
    to: string;
    /**
     * Qualified names, sorted.
     */
    messages: Array<string>;
};

export type Flow = {
    /**
     * By which it is addressed.
     */
    name: string;
    /**
     * For people; empty when it has none.
     */
    title: string;
    /**
     * For people; empty when it has none.
     */
    description: string;
    /**
     * Grows with every save; it is what a save or publish has to name.
     */
    version: number;
    /**
     * Live or batch.
     */
    mode: FlowMode;
    /**
     * Messages that come from outside.
     */
    inputs: Array<{
        /**
         * Of the message, without the flow.
         */
        name: string;
        /**
         * Type of the values.
         */
        dtype: Dtype;
        /**
         * Value before there is another one.
         */
        initial: JsonValue;
        /**
         * For people; empty when it has none.
         */
        title: string;
    }>;
    /**
     * Messages that are the result of a run.
     */
    outputs: Array<{
        /**
         * Of the message, without the flow.
         */
        name: string;
        /**
         * Its key in the result of a run.
         */
        port: string;
    }>;
    /**
     * The graph.
     */
    nodes: Array<Node>;
    /**
     * What its node processes get and ask for.
     */
    resources: {
        /**
         * Variables of the environment of its node processes.
         */
        env: {
            [key: string]: string;
        };
        /**
         * A named size; amounts beside it win.
         */
        flavor: string | null;
        /**
         * Processors that a call takes; null: any.
         */
        cpus: number | null;
        /**
         * GPUs that a call takes; null: any.
         */
        gpus: number | null;
        /**
         * Memory that a call takes, in MB; null: any.
         */
        memory: number | null;
        /**
         * Name of the interpreter that executes the Python nodes.
         */
        python?: string;
    };
    /**
     * How many runs of the flow execute at once, in all engines together; null: no limit of its own.
     */
    concurrency: number | null;
    layout: Layout;
    /**
     * What the flow is doing.
     */
    status: FlowStatus;
    /**
     * What is wrong with it, errors first.
     */
    issues: Array<Issue>;
    /**
     * Deliveries that wait while it is paused.
     */
    held: number;
    /**
     * Whether something is saved and not published.
     */
    has_draft: boolean;
    /**
     * What is published; null while nothing is.
     */
    published_version: number | null;
    /**
     * Whether this document is the draft.
     */
    is_draft: boolean;
    /**
     * Whether it was made over the API, or by code of the engine.
     */
    origin: 'api' | 'code';
    /**
     * Where a flow in code comes from; null of others.
     */
    code: FlowCode | null;
    /**
     * Its nodes while it is active, and failure markers of others.
     */
    node_states: Array<NodeState>;
    /**
     * ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.
     */
    created_at: string;
    /**
     * ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.
     */
    updated_at: string;
    /**
     * Address of who has saved it last; null of flows in code.
     */
    updated_by: string | null;
};

export type Node = {
    /**
     * Unique in the flow.
     */
    id: string;
    /**
     * One of `GET /flows/node-types`.
     */
    type: string;
    /**
     * For people; empty when it has none.
     */
    title: string;
    /**
     * By the JSON Schema that the type has as `params`.
     */
    settings: {
        [key: string]: JsonValue;
    };
    /**
     * Its ports, in the order of the document.
     */
    ports: Array<Port>;
    /**
     * Its code; null of types without code.
     */
    source: string | null;
    /**
     * Name of the library source that the node executes; null: its own.
     */
    library: string | null;
    /**
     * Where the code of a `code` node comes from; null of others.
     */
    entry: CodeEntryOutput | null;
    /**
     * Label or name of the workers that execute it; null: the engine itself.
     */
    worker: string | null;
    /**
     * `prefer`: the engine executes it while no such worker is attached.
     */
    worker_policy: 'require' | 'prefer';
    /**
     * Whether a run may take over stored outputs for it.
     */
    cache: boolean;
    /**
     * Seconds of silence after which an execution is ended; null: no limit of its own.
     */
    timeout: number | null;
    /**
     * How it is executed again when it fails; null: once.
     */
    retry: NodeRetryOutput | null;
};

export type Port = {
    /**
     * Whether the node reads or publishes here.
     */
    direction: 'input' | 'output';
    /**
     * The message as the document names it: `temp`, or `climate.temp` of another flow.
     */
    name: string;
    /**
     * By which the code of the node knows it.
     */
    port: string;
    /**
     * Type of the values.
     */
    dtype: Dtype;
    /**
     * Seconds between two values on display; null for all.
     */
    interval: number | null;
    /**
     * Outputs: values come while the node executes, and numbers of a run become a curve.
     */
    stream: boolean;
    /**
     * Ports of devices: values are sent only while somebody wants them.
     */
    on_demand: boolean;
    /**
     * Inputs: whether an arrival runs the node.
     */
    trigger: boolean;
    /**
     * Qualified name of the message: `<flow>.<message>`.
     */
    message: string;
};

/**
 * Further keys belong to whoever draws: zoom, colours, notes.
 */
export type Layout = {
    /**
     * Places of nodes by their ids. Ids that neither the draft nor the published form has are left out.
     */
    nodes: {
        [key: string]: NodePositionOutput;
    };
    [key: string]: JsonValue | {
        [key: string]: NodePositionOutput;
    };
};

export type Issue = {
    /**
     * `error` keeps the flow from being published, started and run.
     */
    severity: 'error' | 'warning' | 'advisory';
    /**
     * For programs.
     */
    code: 'duplicate_node_id' | 'duplicate_port' | 'unknown_type' | 'bad_setting' | 'missing_setting' | 'bad_source' | 'port_not_identifier' | 'name_collision' | 'dtype_mismatch' | 'unproduced_message' | 'unproduced_output' | 'duplicate_producer' | 'cycle' | 'interval_on_batch_port' | 'live_only_node' | 'unknown_output' | 'missing_source' | 'no_entry' | 'unsupported_target' | 'unsupported_ports' | 'missing_dependency' | 'unknown_secret' | 'unknown_device' | 'unknown_library' | 'unknown_message' | 'unknown_flow' | 'unknown_run' | 'unknown_metric' | 'unknown_artifact' | 'unknown_flavor' | 'unknown_python' | 'unbundlable_dependency' | 'module_missing' | 'worker_ignored' | 'retry_ignored' | 'source_ignored' | 'plain_credential' | 'connector_down' | 'device_offline' | 'device_port_unknown' | 'webhook_without_secret' | 'send_queue_overflow' | 'start_failed' | 'shadowed_route';
    /**
     * What is wrong, and what to do.
     */
    message: string;
    /**
     * Id of the node; null where it is about the flow.
     */
    node: string | null;
    /**
     * JSON Pointer into the document.
     */
    path: string | null;
};

export type FlowCode = {
    /**
     * The module that defines it.
     */
    module: string;
    /**
     * Of its code.
     */
    digest: string;
    /**
     * Commit of its sources, as far as it is known.
     */
    commit: string | null;
};

export type NodeState = {
    /**
     * Name of the flow.
     */
    flow: string;
    /**
     * Id of the node.
     */
    node: string;
    /**
     * `failed` is the failure marker, which stays until it is acknowledged or the node changes.
     */
    status: 'idle' | 'queued' | 'running' | 'failed';
    /**
     * How its connections are.
     */
    health: 'ok' | 'degraded' | 'down';
    /**
     * What it says of its health; null when nothing.
     */
    message: string | null;
    /**
     * The last failure; null when there is none to be told.
     */
    error: NodeError | null;
};

export type NodeError = {
    /**
     * For programs: the class of an exception, or a word of the engine.
     */
    type: string;
    /**
     * For people.
     */
    message: string;
    /**
     * With the lines of its source; null of nodes without code.
     */
    traceback: string | null;
    /**
     * When it happened.
     */
    ts: string;
};

export type PublishedFlow = {
    /**
     * By which it is addressed.
     */
    name: string;
    /**
     * For people; empty when it has none.
     */
    title: string;
    /**
     * For people; empty when it has none.
     */
    description: string;
    /**
     * Grows with every save; it is what a save or publish has to name.
     */
    version: number;
    /**
     * Live or batch.
     */
    mode: FlowMode;
    /**
     * Messages that come from outside.
     */
    inputs: Array<{
        /**
         * Of the message, without the flow.
         */
        name: string;
        /**
         * Type of the values.
         */
        dtype: Dtype;
        /**
         * Value before there is another one.
         */
        initial: JsonValue;
        /**
         * For people; empty when it has none.
         */
        title: string;
    }>;
    /**
     * Messages that are the result of a run.
     */
    outputs: Array<{
        /**
         * Of the message, without the flow.
         */
        name: string;
        /**
         * Its key in the result of a run.
         */
        port: string;
    }>;
    /**
     * The graph.
     */
    nodes: Array<Node>;
    /**
     * What its node processes get and ask for.
     */
    resources: {
        /**
         * Variables of the environment of its node processes.
         */
        env: {
            [key: string]: string;
        };
        /**
         * A named size; amounts beside it win.
         */
        flavor: string | null;
        /**
         * Processors that a call takes; null: any.
         */
        cpus: number | null;
        /**
         * GPUs that a call takes; null: any.
         */
        gpus: number | null;
        /**
         * Memory that a call takes, in MB; null: any.
         */
        memory: number | null;
        /**
         * Name of the interpreter that executes the Python nodes.
         */
        python?: string;
    };
    /**
     * How many runs of the flow execute at once, in all engines together; null: no limit of its own.
     */
    concurrency: number | null;
    layout: Layout;
    /**
     * What the flow is doing.
     */
    status: FlowStatus;
    /**
     * What is wrong with it, errors first.
     */
    issues: Array<Issue>;
    /**
     * Deliveries that wait while it is paused.
     */
    held: number;
    /**
     * Whether something is saved and not published.
     */
    has_draft: boolean;
    /**
     * What is published; null while nothing is.
     */
    published_version: number | null;
    /**
     * Whether this document is the draft.
     */
    is_draft: boolean;
    /**
     * Whether it was made over the API, or by code of the engine.
     */
    origin: 'api' | 'code';
    /**
     * Where a flow in code comes from; null of others.
     */
    code: FlowCode | null;
    /**
     * Its nodes while it is active, and failure markers of others.
     */
    node_states: Array<NodeState>;
    /**
     * ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.
     */
    created_at: string;
    /**
     * ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.
     */
    updated_at: string;
    /**
     * Address of who has saved it last; null of flows in code.
     */
    updated_by: string | null;
    /**
     * Ids of the nodes that were made anew, then of those that have gone; none where the flow is not active.
     */
    rebuilt: Array<string>;
};

export type ValidationResult = {
    /**
     * Whether no issue is an error.
     */
    valid: boolean;
    /**
     * What is wrong with it.
     */
    issues: Array<Issue>;
};

export type FlowState = {
    /**
     * Of the flow.
     */
    name: string;
    /**
     * What it is doing now.
     */
    status: FlowStatus;
    /**
     * Deliveries that wait while it is paused.
     */
    held: number;
};

export type StepResult = {
    /**
     * Of the flow.
     */
    name: string;
    /**
     * What it is doing now.
     */
    status: FlowStatus;
    /**
     * Deliveries that wait while it is paused.
     */
    held: number;
    /**
     * Deliveries that were let through.
     */
    released: number;
};

export type LiveRunResult = {
    /**
     * What it has set off, by id.
     */
    cascade: string;
    /**
     * `timed_out`: it was not over in time.
     */
    status: 'ok' | 'error' | 'timed_out';
    /**
     * The last value of each message, by qualified name.
     */
    values: {
        [key: string]: JsonValue;
    };
    /**
     * How each node is.
     */
    nodes: Array<NodeState>;
};

export type Run = {
    /**
     * Chosen by the engine; later runs have greater ones.
     */
    id: string;
    /**
     * Name of the flow.
     */
    flow: string;
    status: RunStatus;
    /**
     * Whether it executes the draft in place of the published version.
     */
    draft: boolean;
    /**
     * Seed of the run; null where neither it nor its flow has one.
     */
    seed: number | null;
    /**
     * Of the sweep that it is part of.
     */
    group_id: string | null;
    /**
     * Id of the run that it repeats.
     */
    parent: string | null;
    /**
     * By which the same submission is known again.
     */
    idempotency_key: string | null;
    /**
     * Of an imported run: its id where it comes from.
     */
    external_id: string | null;
    /**
     * Version of the flow that it executes.
     */
    flow_version: number | null;
    /**
     * Of the document that it executes; null of imports.
     */
    digest: string | null;
    /**
     * Commit of the sources of a flow in code, as far as it is known.
     */
    commit: string | null;
    /**
     * When it was submitted.
     */
    created_at: string;
    /**
     * When it left the queue; null while it waits.
     */
    started_at: string | null;
    /**
     * When it ended; null before.
     */
    finished_at: string | null;
    /**
     * Seconds from its start to its end, without the time in the queue.
     */
    duration_s: number | null;
    /**
     * Why the run failed; null unless it did.
     */
    error: RunError | null;
    /**
     * Who has submitted it; null where nobody is signed in.
     */
    submitted_by: string | null;
    origin: RunOrigin;
    /**
     * What somebody has written about it; empty unless somebody did.
     */
    note: string;
    /**
     * Words that somebody has given it, sorted.
     */
    tags: Array<string>;
    /**
     * Whether somebody has pinned it.
     */
    pinned: boolean;
    /**
     * Whether lists leave it out unless they are asked for it.
     */
    archived: boolean;
    /**
     * Values of all inputs by name.
     */
    params: {
        [key: string]: JsonValue;
    };
    /**
     * The inputs as the flow declared them then.
     */
    inputs: Array<RunInput>;
    /**
     * Whether every stage executes.
     */
    no_cache: boolean;
    /**
     * Higher ones start first; 0 is usual.
     */
    priority: number;
    /**
     * What became of each node.
     */
    nodes: Array<NodeRecord>;
    /**
     * Outputs of the flow by name; null before it ends well. A large one is an artifact.
     */
    result: {
        [key: string]: JsonValue;
    } | null;
    /**
     * Its curves, each in a line.
     */
    metrics: Array<MetricSummary>;
    /**
     * Stored bytes that its nodes gave.
     */
    artifacts: Array<RunArtifact>;
};

/**
 * `queued` and `running` are not over yet; of a run that was not tracked the others are final.
 */
export type RunStatus = 'queued' | 'running' | 'ok' | 'error' | 'cancelled' | 'abandoned';

/**
 * Why the run failed; null unless it did.
 */
export type RunError = {
    /**
     * For programs: the class of an exception, or a word of the engine.
     */
    type: string;
    /**
     * For people.
     */
    message: string;
    /**
     * Which node failed first; null when none did.
     */
    node: string | null;
};

/**
 * Executed by an engine, imported after its end, or tracked while another program executes it.
 */
export type RunOrigin = 'engine' | 'import' | 'track';

export type RunInput = {
    /**
     * Of the input.
     */
    name: string;
    dtype: Dtype;
    /**
     * The value that the run has.
     */
    value: JsonValue;
    /**
     * Whether the submission left it out.
     */
    default: boolean;
};

export type NodeRecord = {
    /**
     * Id of the node.
     */
    node: string;
    /**
     * Its type.
     */
    type: string;
    status: NodeRunStatus;
    /**
     * Whether its outputs are those of an earlier run.
     */
    cached: boolean;
    /**
     * Id of that run.
     */
    cached_from: string | null;
    /**
     * Null before its turn, and of nodes without code.
     */
    cache: NodeCache | null;
    /**
     * Name of the worker that executes it, `engine` on the engine itself; null before, and without code.
     */
    worker: string | null;
    /**
     * When all that it reads was there.
     */
    queued_at: string | null;
    /**
     * When its code began.
     */
    started_at: string | null;
    /**
     * When it ended; null before.
     */
    finished_at: string | null;
    /**
     * Seconds from its start to its end.
     */
    duration_s: number | null;
    /**
     * The label of a worker that it waits for; null unless it does.
     */
    waiting_for: string | null;
    /**
     * The last 64 KiB of what it has printed.
     */
    logs: string;
    /**
     * Whether it has printed more than that.
     */
    logs_truncated: boolean;
    /**
     * Of an error, with the lines of its source.
     */
    traceback: string | null;
    /**
     * Why it failed; null unless it did.
     */
    error: Failure | null;
    /**
     * Executions in order; more than one only with `retry`, none of what was not executed.
     */
    attempts: Array<NodeAttempt>;
};

/**
 * `skipped`: a node before it has failed.
 */
export type NodeRunStatus = 'pending' | 'queued' | 'running' | 'ok' | 'error' | 'skipped' | 'cancelled';

/**
 * What the cache of stages had for the node.
 */
export type NodeCache = {
    /**
     * Whether the stored outputs were taken.
     */
    hit: boolean;
    /**
     * Of the stage; null where nothing is looked up.
     */
    key: string | null;
    /**
     * Of a miss: what differs, as in `input lr: 0.1 -> 0.2`.
     */
    why: Array<string>;
};

/**
 * Why it failed.
 */
export type Failure = {
    /**
     * For programs: the class of an exception, or a word of the engine.
     */
    type: string;
    /**
     * For people.
     */
    message: string;
};

export type NodeAttempt = {
    /**
     * From 1.
     */
    attempt: number;
    /**
     * When the code began.
     */
    started_at: string;
    /**
     * When it ended; null before.
     */
    finished_at: string | null;
    /**
     * Why it failed; null unless it did.
     */
    error: Failure | null;
};

export type MetricSummary = {
    /**
     * Qualified: `<flow>.<message>`.
     */
    name: string;
    /**
     * Points so far.
     */
    count: number;
    /**
     * Value of the last point.
     */
    last: number | 'NaN' | 'Infinity' | '-Infinity';
    /**
     * Step of the last point.
     */
    step: number;
};

export type RunArtifact = {
    /**
     * SHA-256 of the bytes: `sha256:` and 64 hexadecimal digits.
     */
    digest: string;
    /**
     * File name, shown when the bytes are downloaded.
     */
    name: string;
    /**
     * Media type (RFC 6838), such as `image/png`.
     */
    media_type: string;
    /**
     * Bytes.
     */
    size: number;
    /**
     * The bytes are kept in memory alone, and go when newer ones need the room.
     */
    volatile: boolean;
    /**
     * Id of the node that gave it.
     */
    node: string;
    /**
     * At which output; null where it only stored it.
     */
    port: string | null;
};

export type TriggerResult = {
    /**
     * What it has set off, by id.
     */
    cascade: string;
};

export type NodeCancelResult = {
    /**
     * Executions that were ended.
     */
    cancelled: number;
};

export type NodeLogs = {
    /**
     * Name of the flow.
     */
    flow: string;
    /**
     * Id of the node.
     */
    node: string;
    /**
     * Id of the run; null of a live flow.
     */
    run: string | null;
    /**
     * Offset of the first byte of `text`.
     */
    from: number;
    /**
     * Offset behind its last byte: `after` of the next request.
     */
    next: number;
    /**
     * What the node has printed, without the values of secrets.
     */
    text: string;
    /**
     * Whether the text that `after` asked for is not kept any more.
     */
    cut: boolean;
    /**
     * Whether nothing more comes as things are: the node, or its flow, has ended.
     */
    ended: boolean;
};

export type NodeSource = {
    /**
     * Name of the flow.
     */
    flow: string;
    /**
     * Id of the node.
     */
    node: string;
    /**
     * The text.
     */
    code: string;
    /**
     * The library source that the node uses; null: its own code.
     */
    library: string | null;
    /**
     * SHA-256 of the text.
     */
    digest: string;
    /**
     * Of the flow, or of the library source where the code is shared.
     */
    version: number;
};

export type LibrarySource = {
    /**
     * By which nodes refer to it.
     */
    name: string;
    /**
     * The text.
     */
    code: string;
    /**
     * SHA-256 of the text.
     */
    digest: string;
    /**
     * Nodes that refer to it.
     */
    used_by: Array<LibraryUse>;
    /**
     * ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.
     */
    updated_at: string;
};

export type LibraryUse = {
    /**
     * Name of the flow.
     */
    flow: string;
    /**
     * Id of the node.
     */
    node: string;
    /**
     * Whether the draft of the flow uses it.
     */
    draft: boolean;
    /**
     * Whether the published flow uses it.
     */
    published: boolean;
};

export type FlowVersion = {
    /**
     * The version of the flow under which it was published.
     */
    version: number;
    /**
     * Of what runs of it execute, as the digest of a run: titles, description and layout do not count.
     */
    digest: string;
    /**
     * ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.
     */
    published_at: string;
    /**
     * E-mail address; null of a flow that is defined in code.
     */
    published_by: string | null;
    /**
     * Whether the API or a module of code has published it.
     */
    origin: 'api' | 'code';
    /**
     * How many runs of the flow executed exactly this, drafts of it among them.
     */
    runs: number;
};

export type FlowVersionContent = {
    /**
     * The version of the flow under which it was published.
     */
    version: number;
    /**
     * Of what runs of it execute, as the digest of a run: titles, description and layout do not count.
     */
    digest: string;
    /**
     * ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.
     */
    published_at: string;
    /**
     * E-mail address; null of a flow that is defined in code.
     */
    published_by: string | null;
    /**
     * Whether the API or a module of code has published it.
     */
    origin: 'api' | 'code';
    /**
     * How many runs of the flow executed exactly this, drafts of it among them.
     */
    runs: number;
    /**
     * The content, under the name that the flow has now.
     */
    document: {
        /**
         * By which it is addressed.
         */
        name: string;
        /**
         * For people; empty when it has none.
         */
        title: string;
        /**
         * For people; empty when it has none.
         */
        description: string;
        /**
         * Grows with every save; it is what a save or publish has to name.
         */
        version: number;
        /**
         * Live or batch.
         */
        mode: FlowMode;
        /**
         * Messages that come from outside.
         */
        inputs: Array<{
            /**
             * Of the message, without the flow.
             */
            name: string;
            /**
             * Type of the values.
             */
            dtype: Dtype;
            /**
             * Value before there is another one.
             */
            initial: JsonValue;
            /**
             * For people; empty when it has none.
             */
            title: string;
        }>;
        /**
         * Messages that are the result of a run.
         */
        outputs: Array<{
            /**
             * Of the message, without the flow.
             */
            name: string;
            /**
             * Its key in the result of a run.
             */
            port: string;
        }>;
        /**
         * The graph.
         */
        nodes: Array<Node>;
        /**
         * What its node processes get and ask for.
         */
        resources: {
            /**
             * Variables of the environment of its node processes.
             */
            env: {
                [key: string]: string;
            };
            /**
             * A named size; amounts beside it win.
             */
            flavor: string | null;
            /**
             * Processors that a call takes; null: any.
             */
            cpus: number | null;
            /**
             * GPUs that a call takes; null: any.
             */
            gpus: number | null;
            /**
             * Memory that a call takes, in MB; null: any.
             */
            memory: number | null;
            /**
             * Name of the interpreter that executes the Python nodes.
             */
            python?: string;
        };
        /**
         * How many runs of the flow execute at once, in all engines together; null: no limit of its own.
         */
        concurrency: number | null;
        /**
         * The one layout that the flow has now.
         */
        layout: Layout;
    };
    /**
     * Code by the ids of nodes as it was published: shared code as the library had it, and for a node of a flow in code the text of its module.
     */
    sources: {
        [key: string]: string;
    };
};

export type FlowDiff = {
    /**
     * The version that is compared.
     */
    from: number;
    /**
     * A version, or what the flow has now.
     */
    to: number | 'draft' | 'published';
    /**
     * Of the flow itself. `/nodes` has the ids that both have, where their order differs.
     */
    flow: Array<Change>;
    /**
     * In the order of the newer document, removed ones last.
     */
    nodes: Array<NodeChange>;
    /**
     * Ways of values.
     */
    wires: {
        /**
         * Those that are new.
         */
        added: Array<Wire>;
        /**
         * Those that are gone.
         */
        removed: Array<Wire>;
    };
};

export type Change = {
    /**
     * JSON Pointer; of a node it begins at the node.
     */
    path: string;
    /**
     * Left out where there was nothing.
     */
    from?: JsonValue;
    /**
     * Left out where there is nothing any more.
     */
    to?: JsonValue;
};

export type NodeChange = {
    /**
     * Of the node.
     */
    id: string;
    /**
     * What has become of it.
     */
    change: 'added' | 'removed' | 'changed';
    /**
     * All of a node that was added or removed; without its source, and the messages that names imply.
     */
    fields: Array<Change>;
    /**
     * Unified diff of its source (see `sources` of a version); null when that is the same.
     */
    source: string | null;
};

export type Wire = {
    /**
     * Qualified name.
     */
    message: string;
    /**
     * Null: no node of the flow produces it.
     */
    from: WireSource | null;
    /**
     * What reads it.
     */
    to: {
        /**
         * The flow, or another one that reads the message as it is published now.
         */
        flow: string;
        /**
         * Id of the node.
         */
        node: string;
        /**
         * Name of its port.
         */
        port: string;
    };
};

export type WireSource = {
    /**
     * Id of the node.
     */
    node: string;
    /**
     * Name of its port.
     */
    port: string;
};

export type WsTicket = {
    /**
     * Use it once as `ticket=` in the query of `/flows/ws`.
     */
    ticket: string;
    /**
     * ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.
     */
    expires_at: string;
};

export type Message = {
    /**
     * Qualified: `<flow>.<message>`.
     */
    name: string;
    /**
     * Name of the flow that publishes it.
     */
    flow: string;
    /**
     * Its name within the flow.
     */
    message: string;
    /**
     * Type of its values.
     */
    dtype: Dtype;
    /**
     * Whether values come while its node executes.
     */
    stream: boolean;
    /**
     * The last one; before there is one, the initial value or null.
     */
    value: JsonValue;
    /**
     * When the value came; null until there is one.
     */
    ts: string | null;
    /**
     * What publishes it.
     */
    sources: Array<{
        /**
         * Id of the node.
         */
        node: string;
        /**
         * Name of its port.
         */
        port: string;
    }>;
    /**
     * What reads it, in all flows.
     */
    readers: Array<PortPlace>;
};

export type PortPlace = {
    /**
     * Name of the flow.
     */
    flow: string;
    /**
     * Id of the node.
     */
    node: string;
    /**
     * Name of its port.
     */
    port: string;
};

export type PublishedMessage = {
    /**
     * Qualified: `<flow>.<message>`.
     */
    name: string;
    /**
     * As it is stored.
     */
    value: JsonValue;
    /**
     * ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.
     */
    ts: string;
    /**
     * What it has set off, by id; null while nothing active reads the message.
     */
    cascade: string | null;
};

export type MessageHistoryEntry = {
    /**
     * ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.
     */
    ts: string;
    /**
     * Null where it was too long to keep.
     */
    value: JsonValue;
    /**
     * Whether it was too long to keep.
     */
    truncated: boolean;
    /**
     * The port that published it; null of values from outside.
     */
    source: PortPlace | null;
    /**
     * Id of the run that published it; null of live flows.
     */
    run: string | null;
    /**
     * Id of the cascade that it came about in; null of old values, and where a crash has lost it.
     */
    cascade: string | null;
};

export type RunPlan = {
    /**
     * Runs that the plan is about.
     */
    runs: number;
    /**
     * Nodes with code, in the order of their dependencies.
     */
    stages: Array<PlannedStage>;
    /**
     * Seconds of all executions together; null when they are not known for one of the stages.
     */
    expected_s: number | null;
};

export type PlannedStage = {
    /**
     * Id of the node.
     */
    node: string;
    /**
     * Runs that reach it.
     */
    runs: number;
    /**
     * How many different keys are among those that are known.
     */
    unique: number;
    /**
     * Runs that take over what is stored.
     */
    hits: number;
    /**
     * Runs that execute it, or wait for another of them that does.
     */
    misses: number;
    /**
     * Runs for which it depends on what a node before it returns.
     */
    unknown: number;
    /**
     * Why it is executed or unknown; the first 20 reasons.
     */
    why: Array<string>;
    /**
     * Seconds of all its executions together, those that are unknown included, by the median of its last ones; null when there are none.
     */
    expected_s: number | null;
};

export type RunSummary = {
    /**
     * Chosen by the engine; later runs have greater ones.
     */
    id: string;
    /**
     * Name of the flow.
     */
    flow: string;
    status: RunStatus;
    /**
     * Whether it executes the draft in place of the published version.
     */
    draft: boolean;
    /**
     * Seed of the run; null where neither it nor its flow has one.
     */
    seed: number | null;
    /**
     * Of the sweep that it is part of.
     */
    group_id: string | null;
    /**
     * Id of the run that it repeats.
     */
    parent: string | null;
    /**
     * By which the same submission is known again.
     */
    idempotency_key: string | null;
    /**
     * Of an imported run: its id where it comes from.
     */
    external_id: string | null;
    /**
     * Version of the flow that it executes.
     */
    flow_version: number | null;
    /**
     * Of the document that it executes; null of imports.
     */
    digest: string | null;
    /**
     * Commit of the sources of a flow in code, as far as it is known.
     */
    commit: string | null;
    /**
     * When it was submitted.
     */
    created_at: string;
    /**
     * When it left the queue; null while it waits.
     */
    started_at: string | null;
    /**
     * When it ended; null before.
     */
    finished_at: string | null;
    /**
     * Seconds from its start to its end, without the time in the queue.
     */
    duration_s: number | null;
    /**
     * Why the run failed; null unless it did.
     */
    error: RunError | null;
    /**
     * Who has submitted it; null where nobody is signed in.
     */
    submitted_by: string | null;
    origin: RunOrigin;
    /**
     * What somebody has written about it; empty unless somebody did.
     */
    note: string;
    /**
     * Words that somebody has given it, sorted.
     */
    tags: Array<string>;
    /**
     * Whether somebody has pinned it.
     */
    pinned: boolean;
    /**
     * Whether lists leave it out unless they are asked for it.
     */
    archived: boolean;
    /**
     * Values of its inputs by name, where asked for; one over 1 KiB of JSON is null.
     */
    params: {
        [key: string]: JsonValue;
    } | null;
    /**
     * The inputs whose values are over 1 KiB.
     */
    params_cut: Array<string> | null;
    /**
     * Numbers, texts and booleans up to 1 KiB among its outputs by name, where asked for.
     */
    results: {
        [key: string]: number | string | boolean;
    } | null;
    /**
     * Its curves by message, where asked for.
     */
    metrics: {
        [key: string]: CurveSummary;
    } | null;
    /**
     * How far it has come, where asked for.
     */
    progress: RunProgress | null;
};

/**
 * A curve in short.
 */
export type CurveSummary = {
    /**
     * Points so far.
     */
    count: number;
    /**
     * Step of the last point.
     */
    step: number;
    /**
     * Value of the last point.
     */
    last: number | 'NaN' | 'Infinity' | '-Infinity';
    /**
     * Least finite value; null where there is none.
     */
    min: number | null;
    /**
     * Greatest finite value; null where there is none.
     */
    max: number | null;
};

/**
 * How far a run has come, in nodes.
 */
export type RunProgress = {
    /**
     * Nodes of the flow.
     */
    total: number;
    /**
     * Those that have ended, in whatever way.
     */
    done: number;
    /**
     * Those whose outputs are those of an earlier run.
     */
    cached: number;
    /**
     * Those that have failed.
     */
    failed: number;
    /**
     * Those that execute now.
     */
    running: number;
    /**
     * What one of them waits for; null unless one does.
     */
    waiting_for: string | null;
};

export type MetricSeries = {
    /**
     * Qualified: `<flow>.<message>`.
     */
    name: string;
    /**
     * Id of the node that emits it.
     */
    node: string;
    /**
     * The output of that node.
     */
    port: string;
    /**
     * Id of the run that emitted it: another one after a cache hit.
     */
    run: string;
    /**
     * Points of the whole curve.
     */
    count: number;
    /**
     * Those that were asked for, in order.
     */
    points: Array<MetricPoint>;
};

export type MetricPoint = {
    /**
     * From 0, one for each emission.
     */
    step: number;
    /**
     * When it was emitted.
     */
    ts: string;
    /**
     * The value.
     */
    value: number | 'NaN' | 'Infinity' | '-Infinity';
};

export type CurveColumns = {
    /**
     * Ascending; as `x` of the request says.
     */
    x: Array<number>;
    /**
     * The values, as many as there are x.
     */
    y: Array<number | 'NaN' | 'Infinity' | '-Infinity'>;
    /**
     * Qualified: `<flow>.<message>`.
     */
    name: string;
    /**
     * Id of the node that emits it.
     */
    node: string;
    /**
     * The output of that node.
     */
    port: string;
    /**
     * Id of the run that emitted it: another one after a cache hit.
     */
    run: string;
    /**
     * Points of the whole curve.
     */
    count: number;
    /**
     * Step of its last point: what comes later is behind it.
     */
    last_step: number;
    /**
     * When each was emitted.
     */
    ts: Array<string>;
};

export type ChangedCount = {
    /**
     * Runs that are different now; the others were so before.
     */
    changed: number;
};

export type DeletedCount = {
    /**
     * How many were deleted.
     */
    deleted: number;
};

export type RunTracked = {
    /**
     * The last that is stored.
     */
    seq: number;
    /**
     * Until when to say something more; null of a run that is not running.
     */
    lease_until: string | null;
    /**
     * Whether the run is cancelled: nothing more is stored. Stop.
     */
    cancelled: boolean;
    /**
     * Points that were not stored, by curve: their steps did not ascend.
     */
    dropped: {
        [key: string]: number;
    };
};

export type Sweep = {
    /**
     * Of the sweep: all of its runs have it.
     */
    group_id: string;
    /**
     * Queued, in the order of the entries.
     */
    runs: Array<RunSummary>;
};

export type RunImportResult = {
    /**
     * In the order of the entries.
     */
    runs: Array<RunTakenIn>;
};

export type RunTakenIn = {
    /**
     * Of the entry.
     */
    external_id: string;
    /**
     * Of the run here.
     */
    id: string;
    /**
     * False where the run was known.
     */
    created: boolean;
};

export type RunOverview = {
    /**
     * Name of the flow.
     */
    flow: string;
    /**
     * False once the flow is deleted.
     */
    exists: boolean;
    /**
     * Its runs.
     */
    total: number;
    /**
     * Those that wait.
     */
    queued: number;
    /**
     * Those that execute.
     */
    running: number;
    /**
     * Those that ended well.
     */
    ok: number;
    /**
     * Those that failed.
     */
    error: number;
    /**
     * Those that were cancelled.
     */
    cancelled: number;
    /**
     * Those that lost their engine.
     */
    abandoned: number;
    /**
     * The newest.
     */
    last_run: RunSummary | null;
    /**
     * Mean of those that ended well, in seconds; null without one.
     */
    avg_duration_s: number | null;
};

export type NodeOutputs = {
    /**
     * Id of the run.
     */
    run: string;
    /**
     * Id of the node.
     */
    node: string;
    /**
     * Whether they are those of an earlier run.
     */
    cached: boolean;
    /**
     * By port.
     */
    outputs: {
        [key: string]: JsonValue;
    };
};

export type MetricName = {
    /**
     * Qualified: `<flow>.<message>`.
     */
    name: string;
    /**
     * How many of the runs have it.
     */
    runs: number;
};

export type MetricComparison = {
    /**
     * Name of the curve.
     */
    metric: string;
    /**
     * `step`, `time` (seconds since the start of the run), or another metric.
     */
    x: string;
    /**
     * In the order of the ids that were asked for.
     */
    series: Array<ComparedCurve>;
};

export type ComparedCurve = {
    /**
     * Id of the run.
     */
    run: string;
    /**
     * Name of its flow.
     */
    flow: string;
    status: RunStatus;
    /**
     * Values of its inputs by name.
     */
    params: {
        [key: string]: JsonValue;
    };
    /**
     * None where the run lacks the curve.
     */
    points: Array<CurvePoint>;
};

export type CurvePoint = {
    /**
     * As `x` of the comparison says.
     */
    x: number | 'NaN' | 'Infinity' | '-Infinity';
    /**
     * The value.
     */
    y: number | 'NaN' | 'Infinity' | '-Infinity';
};

export type CurveComparison = {
    /**
     * `step`, `time` (seconds since the start of the run), or another metric.
     */
    x: string;
    /**
     * Metric by metric, each in the order of the ids.
     */
    series: Array<ComparedColumns>;
    /**
     * Values of the inputs of each run, by its id.
     */
    params: {
        [key: string]: {
            [key: string]: JsonValue;
        };
    };
    /**
     * Null unless a group is asked for.
     */
    groups: Array<CurveGroup> | null;
};

export type ComparedColumns = {
    /**
     * Ascending; as `x` of the request says.
     */
    x: Array<number>;
    /**
     * The values, as many as there are x.
     */
    y: Array<number | 'NaN' | 'Infinity' | '-Infinity'>;
    /**
     * As it was asked for.
     */
    metric: string;
    /**
     * Id of the run.
     */
    run: string;
    /**
     * Name of its flow.
     */
    flow: string;
    status: RunStatus;
    /**
     * Points of the whole curve; 0 where the run lacks it.
     */
    count: number;
};

export type CurveGroup = {
    /**
     * As it was asked for.
     */
    metric: string;
    /**
     * The value that the runs share; null where they have none.
     */
    key: JsonValue;
    /**
     * Ids of the runs.
     */
    runs: Array<string>;
    /**
     * Ascending; bins where x is time.
     */
    x: Array<number>;
    /**
     * Mean of the finite values at each x.
     */
    mean: Array<number>;
    /**
     * Their standard deviation, over n - 1; 0 of a single value.
     */
    sd: Array<number>;
    /**
     * The least of them.
     */
    min: Array<number>;
    /**
     * The greatest of them.
     */
    max: Array<number>;
    /**
     * How many there are.
     */
    n: Array<number>;
};

export type ArtifactRef = {
    /**
     * SHA-256 of the bytes: `sha256:` and 64 hexadecimal digits.
     */
    digest: string;
    /**
     * File name, shown when the bytes are downloaded.
     */
    name: string;
    /**
     * Media type (RFC 6838), such as `image/png`.
     */
    media_type: string;
    /**
     * Bytes.
     */
    size: number;
    /**
     * The bytes are kept in memory alone, and go when newer ones need the room.
     */
    volatile: boolean;
};

export type ArtifactTicket = {
    /**
     * For `ticket=` in the query of `GET /artifacts/{digest}`. It is told this once.
     */
    ticket: string;
    /**
     * Where the bytes are shown with it: what a page of the service has as `src` or `href`.
     */
    url: string;
    /**
     * When it has to be used first. From then on it is good for 10 minutes.
     */
    expires_at: string;
};

export type ArtifactUpload = {
    /**
     * By which it is completed.
     */
    upload: string;
    /**
     * Where the bytes are sent by `PUT`; it is signed, so send no credential of the engine there.
     */
    url: string;
    /**
     * Headers that the request has to have, as they are.
     */
    headers: {
        [key: string]: string;
    };
    /**
     * Until when the request may begin.
     */
    expires_at: string;
};

export type DashboardListItem = {
    /**
     * By which it is addressed.
     */
    name: string;
    /**
     * For people; empty when it has none.
     */
    title: string;
    /**
     * Grows with every change but a publish.
     */
    version: number;
    /**
     * Whether something is saved and not published.
     */
    has_draft: boolean;
    /**
     * What is published; null while nothing is.
     */
    published_version: number | null;
    /**
     * Whether it was made over the API, or by code of the engine.
     */
    origin: 'api' | 'code';
    /**
     * What it names and nobody has; each a warning.
     */
    issues: Array<Issue>;
    /**
     * When it was made.
     */
    created_at: string;
    /**
     * When it was saved or published last.
     */
    updated_at: string;
};

export type Dashboard = {
    /**
     * By which it is addressed.
     */
    name: string;
    /**
     * For people; empty when it has none.
     */
    title: string;
    /**
     * Grows with every change but a publish.
     */
    version: number;
    /**
     * Whether something is saved and not published.
     */
    has_draft: boolean;
    /**
     * What is published; null while nothing is.
     */
    published_version: number | null;
    /**
     * Whether title and content are those of the draft.
     */
    is_draft: boolean;
    /**
     * Whether it was made over the API, or by code of the engine.
     */
    origin: 'api' | 'code';
    /**
     * What it names and nobody has; each a warning.
     */
    issues: Array<Issue>;
    /**
     * Its widgets and their grid.
     */
    content: DashboardContentOutput;
    /**
     * When it was made.
     */
    created_at: string;
    /**
     * When it was saved or published last.
     */
    updated_at: string;
};

export type Device = {
    /**
     * By which flows and the API address it.
     */
    id: string;
    /**
     * For people.
     */
    name: string;
    /**
     * What hardware it says that it is; null when it says nothing.
     */
    board: string | null;
    /**
     * What software it says that it runs; null when it says nothing.
     */
    firmware: string | null;
    /**
     * Of what people edit; reports and presence do not change it.
     */
    version: number;
    /**
     * Whether it has a credential.
     */
    paired: boolean;
    /**
     * Whether it is connected to an engine now.
     */
    online: boolean;
    /**
     * When it was connected last; null before the first time.
     */
    last_seen: string | null;
    /**
     * What the device last said that it has.
     */
    report: {
        [key: string]: JsonValue;
    } | null;
    /**
     * When it said so; null before the first time.
     */
    reported_at: string | null;
    /**
     * ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.
     */
    created_at: string;
    /**
     * ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.
     */
    updated_at: string;
};

export type DeviceDetail = {
    /**
     * By which flows and the API address it.
     */
    id: string;
    /**
     * For people.
     */
    name: string;
    /**
     * What hardware it says that it is; null when it says nothing.
     */
    board: string | null;
    /**
     * What software it says that it runs; null when it says nothing.
     */
    firmware: string | null;
    /**
     * Of what people edit; reports and presence do not change it.
     */
    version: number;
    /**
     * Whether it has a credential.
     */
    paired: boolean;
    /**
     * Whether it is connected to an engine now.
     */
    online: boolean;
    /**
     * When it was connected last; null before the first time.
     */
    last_seen: string | null;
    /**
     * What the device last said that it has.
     */
    report: {
        [key: string]: JsonValue;
    } | null;
    /**
     * When it said so; null before the first time.
     */
    reported_at: string | null;
    /**
     * ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.
     */
    created_at: string;
    /**
     * ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.
     */
    updated_at: string;
    /**
     * The ports of its report.
     */
    io: Array<DevicePort>;
    /**
     * How published flows wire them.
     */
    bindings: Array<DeviceBinding>;
};

export type DevicePort = {
    /**
     * As the device calls it.
     */
    name: string;
    direction: DeviceDirection;
    dtype: Dtype;
    /**
     * The device sends it only while somebody wants it.
     */
    on_demand: boolean;
    /**
     * For people; null when the report has none.
     */
    title: string | null;
    /**
     * What else the report says of the port.
     */
    options: {
        [key: string]: JsonValue;
    };
};

/**
 * `in`: the device publishes it. `out`: the device follows it.
 */
export type DeviceDirection = 'in' | 'out';

export type DeviceBinding = {
    /**
     * Of the device.
     */
    port: string;
    direction: DeviceDirection;
    /**
     * Qualified: `<flow>.<message>`.
     */
    message: string;
    dtype: Dtype;
    /**
     * Seconds between two values.
     */
    interval: number | null;
    /**
     * The device sends it only while somebody wants it.
     */
    on_demand: boolean;
    /**
     * Name of the flow.
     */
    flow: string;
    /**
     * Id of its node.
     */
    node: string;
    /**
     * For the device; the engine does not read it.
     */
    config: {
        [key: string]: JsonValue;
    };
};

export type PairingStarted = {
    /**
     * Eight letters and digits, for a person to type.
     */
    code: string;
    /**
     * 256 bits in base64url, to poll with. Shown this once.
     */
    secret: string;
    /**
     * Two characters to compare: another device has others.
     */
    check: string;
    /**
     * ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.
     */
    expires_at: string;
};

export type PairingPoll = {
    /**
     * `adopted`: somebody has let it in.
     */
    status: 'waiting' | 'adopted';
    /**
     * What it is from now on; null while it waits.
     */
    device: AdoptedDevice | null;
    /**
     * The same, under the name that older firmware knows.
     */
    panel: AdoptedDevice | null;
};

export type AdoptedDevice = {
    /**
     * Of the device, from now on.
     */
    id: string;
    /**
     * For people.
     */
    name: string;
    /**
     * The bearer token of the device, 256 bits in base64url.
     */
    credential: string;
    /**
     * Below the base URL.
     */
    ws_path: '/flows/ws';
};

export type PendingDevice = {
    /**
     * Of the request: adopts it from the network where it was made.
     */
    id: string;
    /**
     * Two characters, which the device shows too.
     */
    check: string;
    /**
     * What it calls itself; null when it does not say.
     */
    name: string | null;
    /**
     * What hardware it says that it is; null when it says nothing.
     */
    board: string | null;
    /**
     * What software it says that it runs; null when it says nothing.
     */
    firmware: string | null;
    /**
     * Whether the caller may adopt it by `id`, without its code.
     */
    same_network: boolean;
    /**
     * ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.
     */
    created_at: string;
    /**
     * ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.
     */
    expires_at: string;
};

export type PairingPreview = {
    /**
     * What it calls itself; null when it does not say.
     */
    name: string | null;
    /**
     * What hardware it says that it is; null when it says nothing.
     */
    board: string | null;
    /**
     * What software it says that it runs; null when it says nothing.
     */
    firmware: string | null;
    /**
     * Two characters, which the device shows too.
     */
    check: string;
    /**
     * ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.
     */
    created_at: string;
};

export type SecretUsage = {
    /**
     * By which settings refer to it.
     */
    name: string;
    /**
     * ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.
     */
    created_at: string;
    /**
     * ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.
     */
    updated_at: string;
    /**
     * Nodes that refer to it.
     */
    used_by: Array<SecretUse>;
    /**
     * What refers to it beside nodes, such as a channel of alerts.
     */
    others: Array<string>;
};

export type SecretUse = LibraryUse;

export type Worker = {
    /**
     * Of the attachment: another one after each reconnection, unless its calls went on.
     */
    id: string;
    /**
     * That of its token.
     */
    name: string;
    /**
     * What nodes ask for by `worker`.
     */
    labels: Array<string>;
    /**
     * Of its package.
     */
    version: string;
    /**
     * Version of the protocol that it speaks.
     */
    protocol: number;
    /**
     * `attached`: also while it has lost its link and may come back to its calls; `last_contact_at` is old then. `needs_upgrade`: it was refused because it speaks another version of the protocol. It stands here until a worker of the name attaches or the engine restarts.
     */
    status: 'attached' | 'needs_upgrade';
    /**
     * Calls that it takes at a time.
     */
    parallel: number;
    /**
     * What it executes now.
     */
    calls: Array<WorkerCall>;
    /**
     * What its machine offers.
     */
    resources: WorkerAmounts;
    /**
     * What is left of that.
     */
    free: WorkerAmounts;
    /**
     * Version of its interpreter; null when it has none.
     */
    python: string | null;
    /**
     * Such as `linux-x64`; empty when it was refused.
     */
    platform: string;
    /**
     * The scheduler job that started it.
     */
    provisioned_by: WorkerOrigin | null;
    /**
     * ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.
     */
    attached_at: string;
    /**
     * ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.
     */
    last_contact_at: string;
};

export type WorkerCall = {
    /**
     * Id of the call.
     */
    call: string;
    /**
     * Name of the flow.
     */
    flow: string;
    /**
     * Id of the node.
     */
    node: string;
    /**
     * Null for a node of a live flow.
     */
    run: string | null;
    /**
     * `ending`: it was cancelled, or silent for too long, and the worker ends it. `lost`: the worker has gone on with it for a minute since; its place is free for others.
     */
    status: 'running' | 'ending' | 'lost';
    /**
     * When the call was handed to the worker.
     */
    started_at: string;
};

export type WorkerAmounts = {
    /**
     * Processors.
     */
    cpus: number;
    /**
     * GPUs.
     */
    gpus: number;
    /**
     * Memory in MB.
     */
    ram_mb: number;
};

export type WorkerOrigin = {
    /**
     * Name of the provisioner.
     */
    provisioner: string;
    /**
     * Name of its profile.
     */
    profile: string;
    /**
     * Id that the scheduler gave the job.
     */
    job: string;
};

export type WorkerToken = {
    /**
     * By which it is revoked.
     */
    jti: string;
    /**
     * Name of its workers.
     */
    name: string;
    /**
     * Labels of its workers.
     */
    labels: Array<string>;
    /**
     * ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.
     */
    created_at: string;
    /**
     * ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.
     */
    expires_at: string;
    /**
     * When it was ended; null while it counts or has expired.
     */
    revoked_at: string | null;
    /**
     * To the minute.
     */
    last_used_at: string | null;
    /**
     * Made by the engine for a worker that it started itself.
     */
    provisioned: boolean;
};

export type WorkerTokenMinted = {
    /**
     * Shown this once: give it to the worker as SERVICE_WORKER_TOKEN.
     */
    token: string;
    /**
     * By which it is revoked.
     */
    jti: string;
    /**
     * ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.
     */
    expires_at: string;
    /**
     * Name of its workers.
     */
    name: string;
    /**
     * Labels of its workers.
     */
    labels: Array<string>;
};

export type Flavor = {
    /**
     * By which flows name it.
     */
    name: string;
    /**
     * Processors.
     */
    cpus: number;
    /**
     * GPUs.
     */
    gpus: number;
    /**
     * Memory in MB.
     */
    ram_mb: number;
    /**
     * For people.
     */
    description: string;
};

export type WorkerResources = {
    /**
     * What all of them offer.
     */
    total: WorkerAmounts;
    /**
     * What calls take of it.
     */
    used: WorkerAmounts;
    /**
     * What is left of it.
     */
    free: WorkerAmounts;
    /**
     * Each of them.
     */
    workers: Array<WorkerShare>;
    /**
     * Interpreters of the engine by name, then those of attached workers.
     */
    pythons: Array<WorkerPython>;
    /**
     * Those of provisioners.json of this engine, in its order.
     */
    provisioners: Array<ProvisionerState>;
};

export type WorkerShare = {
    /**
     * Of the worker.
     */
    name: string;
    /**
     * What nodes ask for by `worker`.
     */
    labels: Array<string>;
    /**
     * What it offers.
     */
    total: WorkerAmounts;
    /**
     * What is left of that.
     */
    free: WorkerAmounts;
};

export type WorkerPython = {
    /**
     * What flows ask for by `resources.python`; null of the one that others get.
     */
    name: string | null;
    /**
     * `engine` for those of the engine itself.
     */
    worker: string;
    /**
     * Null when it does not run.
     */
    version: string | null;
    /**
     * Of the program, on the machine of the engine; else null.
     */
    path: string | null;
};

export type ProvisionerState = {
    /**
     * Of the provisioner.
     */
    name: string;
    /**
     * `batch_scheduler` or `ray`.
     */
    type: string;
    /**
     * Why its scheduler cannot be reached; null when it could be, last.
     */
    error: string | null;
    /**
     * Its sizes of workers, and how each fares.
     */
    profiles: Array<ProvisionerProfileState>;
};

export type ProvisionerProfileState = {
    /**
     * Of the profile.
     */
    name: string;
    /**
     * Labels of its workers.
     */
    labels: Array<string>;
    /**
     * Processors that a worker of it offers.
     */
    cpus: number;
    /**
     * GPUs that it offers.
     */
    gpus: number;
    /**
     * Memory that it offers, in MB.
     */
    ram_mb: number;
    /**
     * `pending`: a job is handed in, and no worker of it has attached yet. `failed`: the last one came to nothing; `error` says why.
     */
    state: 'idle' | 'pending' | 'attached' | 'failed';
    /**
     * Id of the job that is pending or attached.
     */
    job: string | null;
    /**
     * When the job was asked for.
     */
    requested_at: string | null;
    /**
     * Why the last job came to nothing, in the words of its scheduler.
     */
    error: string | null;
};

export type ProvisionerTestBegun = {
    /**
     * By which its steps are read.
     */
    test: string;
};

export type ProvisionerTest = {
    /**
     * Whether it goes on, and how it ended.
     */
    state: 'running' | 'ok' | 'failed';
    /**
     * What was done so far, in order.
     */
    steps: Array<ProvisionerTestStep>;
};

export type ProvisionerTestStep = {
    /**
     * What was done.
     */
    step: 'ssh' | 'submit' | 'running' | 'attached' | 'called' | 'cancelled';
    /**
     * Whether that went well.
     */
    ok: boolean;
    /**
     * What came of it, or why it failed.
     */
    detail: string;
    /**
     * ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.
     */
    at: string;
};

export type Modules = {
    /**
     * Where the packages of Python nodes are.
     */
    environment: {
        /**
         * `managed` by this engine; `adopted`: SERVICE_PYTHON names it, and it is only read; `none`: there is no Python.
         */
        kind: 'managed' | 'adopted' | 'none';
        /**
         * Version of the interpreter.
         */
        python: string | null;
        /**
         * The interpreter that Python nodes run on.
         */
        path: string | null;
    };
    /**
     * The manifest in force: one requirement a line.
     */
    requirements: string;
    /**
     * `failed`: the latest apply was not carried out.
     */
    state: 'ready' | 'applying' | 'failed';
    /**
     * Why the latest apply failed; what was there before is in use.
     */
    error: string | null;
    /**
     * When they were applied last; null before the first time.
     */
    applied_at: string | null;
    /**
     * How far an apply is; null while there is none.
     */
    progress: ModuleProgress | null;
    /**
     * npm packages differ from those that the engine has loaded: start it again to use them.
     */
    pending_restart: boolean;
    /**
     * What the latest apply has said: its last 50 lines.
     */
    log: Array<string>;
    /**
     * What is installed.
     */
    packages: Array<ModulePackage>;
    /**
     * What became of packages that may hold node types.
     */
    connectors: Array<ConnectorReport>;
};

export type ModuleProgress = {
    /**
     * What is being done.
     */
    step: 'resolve' | 'download' | 'install' | 'swap';
    /**
     * Of the list of packages, to which it belongs; null for all.
     */
    line: string | null;
    /**
     * Of the step, so far.
     */
    done: number;
    /**
     * Of the step.
     */
    total: number;
};

export type ModulePackage = {
    /**
     * Of the package.
     */
    name: string;
    /**
     * That is installed.
     */
    version: string;
    /**
     * Where it comes from.
     */
    ecosystem: 'pypi' | 'npm';
};

export type ConnectorReport = {
    /**
     * Name of the npm package.
     */
    package: string;
    /**
     * Of the package.
     */
    version: string;
    /**
     * Types that it has brought.
     */
    node_types: Array<string>;
    /**
     * Whether nodes can use them.
     */
    status: 'loaded' | 'skipped';
    /**
     * Why it was skipped.
     */
    reason: string | null;
};

export type AlertConfig = {
    /**
     * Whether any alert is sent.
     */
    enabled: boolean;
    /**
     * Seconds from one message to the next about the same thing. What happens between is counted, and told at the end as one message.
     */
    min_interval_s: number;
    /**
     * What alerts are sent about; all unless given.
     */
    events: Array<AlertEvent>;
    /**
     * Where alerts go.
     */
    channels: {
        /**
         * Requests to an address.
         */
        webhook: {
            /**
             * Whether alerts go there.
             */
            enabled: boolean;
            /**
             * Gets a POST of JSON for each alert. Every user can read it; a credential belongs into a header.
             */
            url: string | null;
            /**
             * Sent along; those with a credential as `{"$secret": "name"}`.
             */
            headers: {
                [key: string]: string | SecretRefOutput;
            };
        };
        /**
         * Messages to telephones.
         */
        push: {
            /**
             * Whether alerts go there.
             */
            enabled: boolean;
            /**
             * A push server of ntfy’s kind.
             */
            server: string;
            /**
             * Topic that receivers have subscribed to.
             */
            topic: string | null;
            /**
             * Access token, for a protected topic.
             */
            token: SecretRefOutput | null;
        };
        /**
         * Mails.
         */
        email: {
            /**
             * Whether alerts go there.
             */
            enabled: boolean;
            /**
             * Addresses that each get a mail.
             */
            to: Array<string>;
        };
    };
};

export type AlertTestResult = {
    /**
     * That was tested.
     */
    channel: 'webhook' | 'push' | 'email';
    /**
     * Whether the other side has taken it.
     */
    ok: boolean;
    /**
     * Why it could not be sent; null when it was.
     */
    detail: string | null;
};

export type EngineList = {
    /**
     * Those that live, the oldest first.
     */
    engines: Array<Engine>;
    flows: PlacedFlows;
    /**
     * Values and pieces of work that the engine that was asked has not written, since it started: another engine had taken their flow.
     */
    refused_writes: number;
};

export type Engine = {
    /**
     * Another one with each start; null on the embedded database.
     */
    id: string | null;
    /**
     * The machine and the process.
     */
    name: string;
    /**
     * Whether it is the one that was asked.
     */
    self: boolean;
    /**
     * Of the engine.
     */
    version: string;
    /**
     * URL of its API; null before it listens, and on the embedded database.
     */
    address: string | null;
    /**
     * ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.
     */
    started_at: string;
    /**
     * Seconds until its lease is over unless it is renewed; null on the embedded database.
     */
    lease_s: number | null;
    /**
     * Live flows that it runs, paused ones included.
     */
    flows: number;
    /**
     * From the engine that was asked; null for itself.
     */
    link: EngineLink | null;
};

export type EngineLink = {
    /**
     * `none`: neither of the two has needed the other one.
     */
    status: 'up' | 'down' | 'none';
    /**
     * Null before it was measured.
     */
    round_trip_ms: number | null;
    /**
     * That wait to be sent.
     */
    unsent_bytes: number;
};

/**
 * Live flows of all engines, in numbers.
 */
export type PlacedFlows = {
    /**
     * Those that are to run.
     */
    wished: number;
    /**
     * Those of them that no engine runs.
     */
    nowhere: number;
    /**
     * The first 20 of those by name.
     */
    nowhere_names: Array<string>;
};

export type ObservabilitySummary = {
    /**
     * `down` when the loop or the store is, else the worst check.
     */
    status: 'ok' | 'degraded' | 'down';
    /**
     * Of the engine.
     */
    version: string;
    /**
     * Version of the protocol between engine and workers.
     */
    protocol: number;
    /**
     * Seconds since it started.
     */
    uptime_s: number;
    /**
     * Engines of the database that live, this one included.
     */
    engines: number;
    /**
     * The parts that were checked.
     */
    checks: Checks;
    /**
     * Live flows, in numbers.
     */
    flows: {
        /**
         * Those that run, paused ones included.
         */
        active: number;
        /**
         * Those that should run and do not.
         */
        failed: number;
    };
    /**
     * Runs that are not over, in numbers.
     */
    runs: {
        /**
         * Those that wait.
         */
        queued: number;
        /**
         * Those that execute.
         */
        running: number;
    };
    /**
     * What waits for somebody. While the database does not answer, as it last told.
     */
    counts: {
        /**
         * That are kept, of all flows and runs.
         */
        dead_letters: number;
        /**
         * Nodes of live flows with a failure marker, as this engine knows them.
         */
        failed_nodes: number;
        /**
         * Requests of devices that wait for their adoption.
         */
        pending_devices: number;
    };
    /**
     * Workers of this engine, in numbers.
     */
    workers: {
        /**
         * Those that take calls.
         */
        attached: number;
        /**
         * Those that were refused for their version.
         */
        needs_upgrade: number;
    };
    /**
     * Packages that could not be loaded.
     */
    load_errors: Array<{
        /**
         * Name of the package.
         */
        package: string;
        /**
         * Why it could not be loaded.
         */
        reason: string;
    }>;
};

export type Checks = {
    /**
     * The event loop of the engine: whether it answers in time.
     */
    loop: {
        /**
         * How it is.
         */
        status: 'ok' | 'degraded' | 'down';
        /**
         * What is wrong, null while it is `ok`.
         */
        detail: string | null;
    };
    /**
     * The database.
     */
    store: {
        /**
         * How it is.
         */
        status: 'ok' | 'degraded' | 'down';
        /**
         * What is wrong, null while it is `ok`.
         */
        detail: string | null;
    };
    /**
     * Runs that wait: whether they are taken up.
     */
    queue: {
        /**
         * How it is.
         */
        status: 'ok' | 'degraded' | 'down';
        /**
         * What is wrong, null while it is `ok`.
         */
        detail: string | null;
    };
    /**
     * The store of artifacts.
     */
    artifacts: {
        /**
         * How it is.
         */
        status: 'ok' | 'degraded' | 'down';
        /**
         * What is wrong, null while it is `ok`.
         */
        detail: string | null;
    };
    /**
     * The interpreter of Python nodes.
     */
    python: {
        /**
         * How it is.
         */
        status: 'ok' | 'degraded' | 'down';
        /**
         * What is wrong, null while it is `ok`.
         */
        detail: string | null;
    };
};

export type Health = {
    /**
     * It can work.
     */
    status: 'ok';
    /**
     * The parts that were checked.
     */
    checks: Checks;
};

export type TimeBucket = {
    /**
     * When the span begins.
     */
    ts: string;
    /**
     * Executions of nodes.
     */
    executions: number;
    /**
     * Those that failed.
     */
    errors: number;
    /**
     * Mean of their durations in ms; null without any.
     */
    duration_ms_avg: number | null;
    /**
     * Within 5 %.
     */
    duration_ms_p95: number | null;
};

export type FlowRollup = {
    /**
     * Name of the flow.
     */
    flow: string;
    /**
     * Executions of nodes.
     */
    executions: number;
    /**
     * Those that failed.
     */
    errors: number;
    /**
     * Mean of their durations in ms; null without any.
     */
    duration_ms_avg: number | null;
    /**
     * Within 5 %.
     */
    duration_ms_p95: number | null;
    /**
     * When executions were last counted, to a few seconds.
     */
    last_at: string | null;
};

export type Cascade = {
    /**
     * Of the cascade, which history and events name.
     */
    id: string;
    /**
     * Where it began.
     */
    flow: string;
    /**
     * What has set it off.
     */
    origin: {
        /**
         * Of event.
         */
        kind: 'webhook' | 'timer' | 'publish' | 'reading' | 'trigger' | 'run' | 'start';
        /**
         * Id of the node where it began; null without one.
         */
        node: string | null;
        /**
         * Message that was published; null without one.
         */
        message: string | null;
    };
    /**
     * The run that it is, or whose result set it off.
     */
    run: string | null;
    /**
     * `abandoned`: it was given up before its end.
     */
    status: 'running' | 'ok' | 'error' | 'abandoned';
    /**
     * Executions of nodes so far.
     */
    executions: number;
    /**
     * ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.
     */
    started_at: string;
    /**
     * When it ended; null before.
     */
    finished_at: string | null;
    /**
     * From its start to its end in ms; null before.
     */
    duration_ms: number | null;
    /**
     * The first failure.
     */
    error: CascadeError | null;
};

export type CascadeError = {
    /**
     * Id of the node; null when none failed.
     */
    node: string | null;
    /**
     * For programs: the class of an exception, or a word of the engine.
     */
    type: string;
    /**
     * For people.
     */
    message: string;
};

export type ObservabilityEvent = {
    /**
     * Of the event.
     */
    id: string;
    /**
     * ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.
     */
    ts: string;
    /**
     * What it is about.
     */
    kind: 'audit' | 'health' | 'alert' | 'worker' | 'device' | 'engine';
    /**
     * How bad it is.
     */
    level: 'info' | 'warning' | 'error';
    /**
     * Name of the flow; null without one.
     */
    flow: string | null;
    /**
     * Id of the node; null without one.
     */
    node: string | null;
    /**
     * What happened, for example `flow.publish`.
     */
    action: string;
    /**
     * Null for what nobody asked for.
     */
    actor: Actor | null;
    /**
     * More of it, by kind and action.
     */
    detail: {
        [key: string]: JsonValue;
    };
};

export type Actor = {
    /**
     * Of the user.
     */
    id: string;
    /**
     * Address of the user.
     */
    email: string;
    /**
     * How the user was signed in.
     */
    via: ActorVia;
    /**
     * Of the key, or of the agent.
     */
    name: string | null;
};

/**
 * `cli`: by the sign-in file of the machine, or on its stopped engine. `mcp`: as an agent.
 */
export type ActorVia = 'session' | 'key' | 'mcp' | 'cli';

export type DeadLetter = {
    /**
     * By which it is replayed or dismissed.
     */
    id: string;
    /**
     * ISO 8601 in UTC with microseconds, for example 2026-01-31T08:00:00.000001+00:00.
     */
    ts: string;
    /**
     * Name of the flow.
     */
    flow: string;
    /**
     * Null for a run.
     */
    node: string | null;
    /**
     * Null when the node was asked to act.
     */
    message: string | null;
    /**
     * Null too when it had more than 256 KiB.
     */
    value: JsonValue;
    /**
     * Why it was not done.
     */
    reason: 'crash' | 'overflow' | 'expired' | 'loop_limit' | 'lease' | 'stopped';
    /**
     * How often it was tried, replays included.
     */
    attempts: number;
    /**
     * What it was part of; null without one.
     */
    cascade: string | null;
    /**
     * Id of the run; null of live flows.
     */
    run: string | null;
};

export type Replayed = {
    /**
     * How many were delivered.
     */
    replayed: number;
};

export type ReplayResult = {
    /**
     * What it has set off, by id.
     */
    cascade: string;
};

export type FlushResult = {
    /**
     * Minutes of flows.
     */
    metrics: number;
    /**
     * Cascades, events and dead letters.
     */
    events: number;
};

export type CodeEntryOutput = {
    /**
     * Path of the module, from the folder of the project.
     */
    module: string;
    /**
     * Its export that defines the node.
     */
    export: string;
    /**
     * Of the bundle that is executed.
     */
    digest: string;
    /**
     * All files that are in the bundle.
     */
    modules: Array<{
        /**
         * From the folder of the project.
         */
        path: string;
        /**
         * Of the file.
         */
        digest: string;
    }>;
};

export type NodeRetryOutput = {
    /**
     * Executions in all, the first one included.
     */
    attempts: number;
    /**
     * Pause after the first failure.
     */
    delay_s: number;
    /**
     * Of each pause to the one before.
     */
    factor: number;
    /**
     * No pause is longer.
     */
    max_delay_s: number;
};

/**
 * In units of whoever draws; x grows to the right, y downwards.
 */
export type NodePositionOutput = {
    /**
     * To the right.
     */
    x: number;
    /**
     * Downwards.
     */
    y: number;
};

export type WidgetOutput = ({
    type: 'value';
} & ValueWidgetOutput) | ({
    type: 'gauge';
} & GaugeWidgetOutput) | ({
    type: 'chart';
} & ChartWidgetOutput) | ({
    type: 'table';
} & TableWidgetOutput) | ({
    type: 'image';
} & ImageWidgetOutput) | ({
    type: 'text';
} & TextWidgetOutput) | ({
    type: 'button';
} & ButtonWidgetOutput) | ({
    type: 'switch';
} & SwitchWidgetOutput) | ({
    type: 'slider';
} & SliderWidgetOutput) | ({
    type: 'input';
} & InputWidgetOutput);

export type ValueWidgetOutput = {
    /**
     * Once in a dashboard.
     */
    id: string;
    /**
     * Decides what the options are.
     */
    type: 'value';
    /**
     * Text above it.
     */
    title: string;
    /**
     * Column of its left edge, from 0.
     */
    x: number;
    /**
     * Row of its upper edge, from 0.
     */
    y: number;
    /**
     * Columns that it takes.
     */
    w: number;
    /**
     * Rows that it takes.
     */
    h: number;
    /**
     * The message that is shown, or published by a control.
     */
    binding: WidgetBindingOutput | null;
    /**
     * What charts and tables show besides.
     */
    source: ChartSourceOutput | null;
    /**
     * What this type alone has.
     */
    options: ValueOptionsOutput;
};

export type WidgetBindingOutput = {
    /**
     * Qualified: `<flow>.<message>`.
     */
    message: string;
};

/**
 * Where the curves of a chart, or the rows of a table, come from.
 */
export type ChartSourceOutput = ({
    kind: 'messages';
} & MessagesSourceOutput) | ({
    kind: 'runs';
} & RunsSourceOutput);

export type MessagesSourceOutput = {
    /**
     * Values of messages over time.
     */
    kind: 'messages';
    /**
     * Qualified: `<flow>.<message>`.
     */
    messages: Array<string>;
    /**
     * How far back, in seconds; all that is kept unless given.
     */
    window_s?: number;
};

export type RunsSourceOutput = {
    /**
     * Curves or results of runs.
     */
    kind: 'runs';
    /**
     * Which runs.
     */
    select: RunSelectionOutput;
    /**
     * Curves by name, such as `fit.loss`. Without any, the results of the runs are meant.
     */
    metrics: Array<string>;
    /**
     * `step` unless given, `time`, or another curve.
     */
    x?: string;
};

export type LatestRunsOutput = {
    /**
     * How many of the newest runs.
     */
    latest: number;
    /**
     * Of the runs.
     */
    flow: string;
};

export type RunsOfSweepOutput = {
    /**
     * Of a sweep.
     */
    group_id: string;
};

export type ChosenRunsOutput = {
    /**
     * Of the runs.
     */
    ids: Array<string>;
};

/**
 * Which runs: the newest of a flow, those of a sweep, or these.
 */
export type RunSelectionOutput = LatestRunsOutput | RunsOfSweepOutput | ChosenRunsOutput;

export type ValueOptionsOutput = {
    /**
     * Shown behind the number.
     */
    unit?: string;
    /**
     * Digits behind the point; all unless given.
     */
    decimals?: number;
};

export type GaugeWidgetOutput = {
    /**
     * Once in a dashboard.
     */
    id: string;
    /**
     * Decides what the options are.
     */
    type: 'gauge';
    /**
     * Text above it.
     */
    title: string;
    /**
     * Column of its left edge, from 0.
     */
    x: number;
    /**
     * Row of its upper edge, from 0.
     */
    y: number;
    /**
     * Columns that it takes.
     */
    w: number;
    /**
     * Rows that it takes.
     */
    h: number;
    /**
     * The message that is shown, or published by a control.
     */
    binding: WidgetBindingOutput | null;
    /**
     * What charts and tables show besides.
     */
    source: ChartSourceOutput | null;
    /**
     * What this type alone has.
     */
    options: GaugeOptionsOutput;
};

export type GaugeOptionsOutput = {
    /**
     * At the left end.
     */
    min: number;
    /**
     * At the right end; above `min`.
     */
    max: number;
    /**
     * Shown behind the number.
     */
    unit?: string;
    /**
     * From which values which level holds.
     */
    thresholds?: Array<ThresholdOutput>;
};

export type ThresholdOutput = {
    /**
     * The level holds from this value on.
     */
    from: number;
    /**
     * How values are shown from there on.
     */
    level: 'ok' | 'warning' | 'error';
};

export type ChartWidgetOutput = {
    /**
     * Once in a dashboard.
     */
    id: string;
    /**
     * Decides what the options are.
     */
    type: 'chart';
    /**
     * Text above it.
     */
    title: string;
    /**
     * Column of its left edge, from 0.
     */
    x: number;
    /**
     * Row of its upper edge, from 0.
     */
    y: number;
    /**
     * Columns that it takes.
     */
    w: number;
    /**
     * Rows that it takes.
     */
    h: number;
    /**
     * The message that is shown, or published by a control.
     */
    binding: WidgetBindingOutput | null;
    /**
     * What charts and tables show besides.
     */
    source: ChartSourceOutput | null;
    /**
     * What this type alone has.
     */
    options: ChartOptionsOutput;
};

export type ChartOptionsOutput = {
    /**
     * Whether x has a logarithmic scale; not unless given.
     */
    log_x?: boolean;
    /**
     * Whether y has a logarithmic scale; not unless given.
     */
    log_y?: boolean;
    /**
     * How much of a point is made of those before it; 0 is none.
     */
    smoothing?: number;
    /**
     * Shown behind the number.
     */
    unit?: string;
};

export type TableWidgetOutput = {
    /**
     * Once in a dashboard.
     */
    id: string;
    /**
     * Decides what the options are.
     */
    type: 'table';
    /**
     * Text above it.
     */
    title: string;
    /**
     * Column of its left edge, from 0.
     */
    x: number;
    /**
     * Row of its upper edge, from 0.
     */
    y: number;
    /**
     * Columns that it takes.
     */
    w: number;
    /**
     * Rows that it takes.
     */
    h: number;
    /**
     * The message that is shown, or published by a control.
     */
    binding: WidgetBindingOutput | null;
    /**
     * What charts and tables show besides.
     */
    source: ChartSourceOutput | null;
    /**
     * What this type alone has.
     */
    options: TableOptionsOutput;
};

export type TableOptionsOutput = {
    /**
     * Which columns, in this order; all unless given.
     */
    columns?: Array<string>;
    /**
     * Rows, at most.
     */
    limit: number;
};

export type ImageWidgetOutput = {
    /**
     * Once in a dashboard.
     */
    id: string;
    /**
     * Decides what the options are.
     */
    type: 'image';
    /**
     * Text above it.
     */
    title: string;
    /**
     * Column of its left edge, from 0.
     */
    x: number;
    /**
     * Row of its upper edge, from 0.
     */
    y: number;
    /**
     * Columns that it takes.
     */
    w: number;
    /**
     * Rows that it takes.
     */
    h: number;
    /**
     * The message that is shown, or published by a control.
     */
    binding: WidgetBindingOutput | null;
    /**
     * What charts and tables show besides.
     */
    source: ChartSourceOutput | null;
    /**
     * What this type alone has.
     */
    options: ImageOptionsOutput;
};

export type ImageOptionsOutput = {
    /**
     * A stored picture, which is kept as long as it is shown.
     */
    artifact?: ImageArtifactOutput;
};

export type ImageArtifactOutput = {
    /**
     * SHA-256 of the bytes: `sha256:` and 64 hexadecimal digits.
     */
    digest: string;
    /**
     * File name, shown when the bytes are downloaded.
     */
    name: string;
    /**
     * Media type (RFC 6838), such as `image/png`.
     */
    media_type: string;
    /**
     * Bytes.
     */
    size: number;
    /**
     * The bytes are kept in memory alone, and go when newer ones need the room.
     */
    volatile: boolean;
};

export type TextWidgetOutput = {
    /**
     * Once in a dashboard.
     */
    id: string;
    /**
     * Decides what the options are.
     */
    type: 'text';
    /**
     * Text above it.
     */
    title: string;
    /**
     * Column of its left edge, from 0.
     */
    x: number;
    /**
     * Row of its upper edge, from 0.
     */
    y: number;
    /**
     * Columns that it takes.
     */
    w: number;
    /**
     * Rows that it takes.
     */
    h: number;
    /**
     * The message that is shown, or published by a control.
     */
    binding: WidgetBindingOutput | null;
    /**
     * What charts and tables show besides.
     */
    source: ChartSourceOutput | null;
    /**
     * What this type alone has.
     */
    options: TextOptionsOutput;
};

export type TextOptionsOutput = {
    /**
     * Markdown without HTML: tags in it are text.
     */
    markdown: string;
};

export type ButtonWidgetOutput = {
    /**
     * Once in a dashboard.
     */
    id: string;
    /**
     * Decides what the options are.
     */
    type: 'button';
    /**
     * Text above it.
     */
    title: string;
    /**
     * Column of its left edge, from 0.
     */
    x: number;
    /**
     * Row of its upper edge, from 0.
     */
    y: number;
    /**
     * Columns that it takes.
     */
    w: number;
    /**
     * Rows that it takes.
     */
    h: number;
    /**
     * The message that is shown, or published by a control.
     */
    binding: WidgetBindingOutput | null;
    /**
     * What charts and tables show besides.
     */
    source: ChartSourceOutput | null;
    /**
     * What this type alone has.
     */
    options: ButtonOptionsOutput;
};

export type ButtonOptionsOutput = {
    /**
     * What a click publishes.
     */
    value: JsonValue;
    /**
     * Text on the button.
     */
    label?: string;
};

export type SwitchWidgetOutput = {
    /**
     * Once in a dashboard.
     */
    id: string;
    /**
     * Decides what the options are.
     */
    type: 'switch';
    /**
     * Text above it.
     */
    title: string;
    /**
     * Column of its left edge, from 0.
     */
    x: number;
    /**
     * Row of its upper edge, from 0.
     */
    y: number;
    /**
     * Columns that it takes.
     */
    w: number;
    /**
     * Rows that it takes.
     */
    h: number;
    /**
     * The message that is shown, or published by a control.
     */
    binding: WidgetBindingOutput | null;
    /**
     * What charts and tables show besides.
     */
    source: ChartSourceOutput | null;
    /**
     * What this type alone has.
     */
    options: SwitchOptionsOutput;
};

export type SwitchOptionsOutput = {
    /**
     * What is published when it is switched on.
     */
    on: JsonValue;
    /**
     * What is published when it is switched off.
     */
    off: JsonValue;
};

export type SliderWidgetOutput = {
    /**
     * Once in a dashboard.
     */
    id: string;
    /**
     * Decides what the options are.
     */
    type: 'slider';
    /**
     * Text above it.
     */
    title: string;
    /**
     * Column of its left edge, from 0.
     */
    x: number;
    /**
     * Row of its upper edge, from 0.
     */
    y: number;
    /**
     * Columns that it takes.
     */
    w: number;
    /**
     * Rows that it takes.
     */
    h: number;
    /**
     * The message that is shown, or published by a control.
     */
    binding: WidgetBindingOutput | null;
    /**
     * What charts and tables show besides.
     */
    source: ChartSourceOutput | null;
    /**
     * What this type alone has.
     */
    options: SliderOptionsOutput;
};

export type SliderOptionsOutput = {
    /**
     * The smallest value.
     */
    min: number;
    /**
     * The largest value; above `min`.
     */
    max: number;
    /**
     * Between two values.
     */
    step: number;
};

export type InputWidgetOutput = {
    /**
     * Once in a dashboard.
     */
    id: string;
    /**
     * Decides what the options are.
     */
    type: 'input';
    /**
     * Text above it.
     */
    title: string;
    /**
     * Column of its left edge, from 0.
     */
    x: number;
    /**
     * Row of its upper edge, from 0.
     */
    y: number;
    /**
     * Columns that it takes.
     */
    w: number;
    /**
     * Rows that it takes.
     */
    h: number;
    /**
     * The message that is shown, or published by a control.
     */
    binding: WidgetBindingOutput | null;
    /**
     * What charts and tables show besides.
     */
    source: ChartSourceOutput | null;
    /**
     * What this type alone has.
     */
    options: InputOptionsOutput;
};

export type InputOptionsOutput = {
    /**
     * Shown while nothing is typed.
     */
    placeholder?: string;
};

/**
 * Widgets on a grid.
 */
export type DashboardContentOutput = {
    /**
     * Of the grid.
     */
    columns: number;
    /**
     * In no order: each has its place.
     */
    widgets: Array<WidgetOutput>;
};

export type SecretRefOutput = {
    /**
     * Name of the secret.
     */
    $secret: string;
};

/**
 * Any JSON.
 */
export type JsonValue = string | number | boolean | null | Array<JsonValue> | {
    [key: string]: JsonValue;
};

export type LoginAccessTokenData = {
    body: {
        /**
         * The e-mail of the user.
         */
        username: string;
        /**
         * The password of the user.
         */
        password: string;
    };
    path?: never;
    query?: never;
    url: '/login/access-token';
};

export type LoginAccessTokenErrors = {
    /**
     * `invalid_credentials`: Wrong user name or password
     */
    400: Problem;
    /**
     * `request_timeout`: The request took too long to arrive
     */
    408: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * `rate_limited`: Too many requests
     */
    429: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type LoginAccessTokenError = LoginAccessTokenErrors[keyof LoginAccessTokenErrors];

export type LoginAccessTokenResponses = {
    /**
     * A session token
     */
    200: Token;
};

export type LoginAccessTokenResponse = LoginAccessTokenResponses[keyof LoginAccessTokenResponses];

export type LoginCodeData = {
    body: {
        /**
         * What stands behind `#code=` or `#dev=`; it counts once.
         */
        code: string;
    };
    path?: never;
    query?: never;
    url: '/login/code';
};

export type LoginCodeErrors = {
    /**
     * `invalid_token`: The one-time code or link is not valid
     */
    400: Problem;
    /**
     * `request_timeout`: The request took too long to arrive
     */
    408: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type LoginCodeError = LoginCodeErrors[keyof LoginCodeErrors];

export type LoginCodeResponses = {
    /**
     * A session token of the first superuser
     */
    200: Token;
};

export type LoginCodeResponse = LoginCodeResponses[keyof LoginCodeResponses];

export type LoginTestTokenData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/login/test-token';
};

export type LoginTestTokenErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type LoginTestTokenError = LoginTestTokenErrors[keyof LoginTestTokenErrors];

export type LoginTestTokenResponses = {
    /**
     * The user of the token
     */
    200: User;
};

export type LoginTestTokenResponse = LoginTestTokenResponses[keyof LoginTestTokenResponses];

export type UsersMeData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/users/me';
};

export type UsersMeErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type UsersMeError = UsersMeErrors[keyof UsersMeErrors];

export type UsersMeResponses = {
    /**
     * The user
     */
    200: User;
};

export type UsersMeResponse = UsersMeResponses[keyof UsersMeResponses];

export type LoginRecoverPasswordData = {
    body?: never;
    path: {
        /**
         * Address of the user.
         */
        email: string;
    };
    query?: never;
    url: '/password-recovery/{email}';
};

export type LoginRecoverPasswordErrors = {
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * `rate_limited`: Too many requests
     */
    429: Problem;
    /**
     * `unavailable`: Not available now
     */
    503: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type LoginRecoverPasswordError = LoginRecoverPasswordErrors[keyof LoginRecoverPasswordErrors];

export type LoginRecoverPasswordResponses = {
    /**
     * If there is such a user, a mail is on its way.
     */
    200: MessageText;
};

export type LoginRecoverPasswordResponse = LoginRecoverPasswordResponses[keyof LoginRecoverPasswordResponses];

export type LoginResetPasswordData = {
    body: {
        /**
         * What stands behind `#token=` in the link of the mail; it counts once.
         */
        token: string;
        /**
         * 8 to 128 characters.
         */
        new_password: string;
    };
    path?: never;
    query?: never;
    url: '/reset-password/';
};

export type LoginResetPasswordErrors = {
    /**
     * `invalid_token`: The one-time code or link is not valid
     */
    400: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * `unavailable`: Not available now
     */
    503: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type LoginResetPasswordError = LoginResetPasswordErrors[keyof LoginResetPasswordErrors];

export type LoginResetPasswordResponses = {
    /**
     * The password is set.
     */
    200: MessageText;
};

export type LoginResetPasswordResponse = LoginResetPasswordResponses[keyof LoginResetPasswordResponses];

export type UsersListData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/users';
};

export type UsersListErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type UsersListError = UsersListErrors[keyof UsersListErrors];

export type UsersListResponses = {
    /**
     * Users by e-mail.
     */
    200: Array<UserAdmin>;
};

export type UsersListResponse = UsersListResponses[keyof UsersListResponses];

export type UsersCreateData = {
    body: {
        /**
         * Address by which the user signs in; no other user has it.
         */
        email: string;
        /**
         * For people.
         */
        full_name?: string | null;
        /**
         * Whether the user may do everything, and manage others.
         */
        is_superuser?: boolean;
        /**
         * Left out: the user is invited to choose one.
         */
        password?: string;
    };
    path?: never;
    query?: never;
    url: '/users';
};

export type UsersCreateErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `already_exists`: The name is taken
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * `unavailable`: Not available now
     */
    503: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type UsersCreateError = UsersCreateErrors[keyof UsersCreateErrors];

export type UsersCreateResponses = {
    /**
     * The user.
     */
    201: UserCreated;
};

export type UsersCreateResponse = UsersCreateResponses[keyof UsersCreateResponses];

export type UsersDeleteData = {
    body?: never;
    path: {
        /**
         * Of the user.
         */
        id: string;
    };
    query?: never;
    url: '/users/{id}';
};

export type UsersDeleteErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `last_superuser`: Nobody else is a superuser
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type UsersDeleteError = UsersDeleteErrors[keyof UsersDeleteErrors];

export type UsersDeleteResponses = {
    /**
     * The user is gone.
     */
    204: void;
};

export type UsersDeleteResponse = UsersDeleteResponses[keyof UsersDeleteResponses];

export type UsersUpdateData = {
    body: {
        /**
         * For people; null takes it away.
         */
        full_name?: string | null;
        /**
         * False ends the sessions and keys of the user, and refuses new ones.
         */
        is_active?: boolean;
        /**
         * The last active superuser stays one.
         */
        is_superuser?: boolean;
        /**
         * A new password, which ends the sessions of the user.
         */
        password?: string;
    };
    path: {
        /**
         * Of the user.
         */
        id: string;
    };
    query?: never;
    url: '/users/{id}';
};

export type UsersUpdateErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `last_superuser`: Nobody else is a superuser
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type UsersUpdateError = UsersUpdateErrors[keyof UsersUpdateErrors];

export type UsersUpdateResponses = {
    /**
     * The user.
     */
    200: UserAdmin;
};

export type UsersUpdateResponse = UsersUpdateResponses[keyof UsersUpdateResponses];

export type UsersChangePasswordData = {
    body: {
        /**
         * The one that counts until now.
         */
        current_password: string;
        /**
         * 8 to 128 characters; other sessions end.
         */
        new_password: string;
    };
    path?: never;
    query?: never;
    url: '/users/me/password';
};

export type UsersChangePasswordErrors = {
    /**
     * `invalid_credentials`: Wrong user name or password
     */
    400: Problem;
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * `rate_limited`: Too many requests
     */
    429: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type UsersChangePasswordError = UsersChangePasswordErrors[keyof UsersChangePasswordErrors];

export type UsersChangePasswordResponses = {
    /**
     * A session token in place of the one that was used
     */
    200: Token;
};

export type UsersChangePasswordResponse = UsersChangePasswordResponses[keyof UsersChangePasswordResponses];

export type KeysListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Of all users, which takes a superuser.
         */
        all?: boolean;
    };
    url: '/keys';
};

export type KeysListErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type KeysListError = KeysListErrors[keyof KeysListErrors];

export type KeysListResponses = {
    /**
     * Keys by owner and name.
     */
    200: Array<ApiKey>;
};

export type KeysListResponse = KeysListResponses[keyof KeysListResponses];

export type KeysCreateData = {
    body: {
        /**
         * No other live key of the owner has it.
         */
        name: string;
        /**
         * What the key is good for, of all that its owner may do.
         */
        scopes: Array<Scope>;
        /**
         * Null is never.
         */
        expires_in_days?: number | null;
    };
    path?: never;
    query?: never;
    url: '/keys';
};

export type KeysCreateErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `already_exists`: The name is taken
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type KeysCreateError = KeysCreateErrors[keyof KeysCreateErrors];

export type KeysCreateResponses = {
    /**
     * The key, which is shown this once.
     */
    201: ApiKeyMinted;
};

export type KeysCreateResponse = KeysCreateResponses[keyof KeysCreateResponses];

export type KeysRevokeData = {
    body?: never;
    path: {
        /**
         * Of the key.
         */
        id: string;
    };
    query?: never;
    url: '/keys/{id}/revoke';
};

export type KeysRevokeErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type KeysRevokeError = KeysRevokeErrors[keyof KeysRevokeErrors];

export type KeysRevokeResponses = {
    /**
     * The key as it is now.
     */
    200: ApiKey;
};

export type KeysRevokeResponse = KeysRevokeResponses[keyof KeysRevokeResponses];

export type LoginMethodsData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/login/methods';
};

export type LoginMethodsErrors = {
    /**
     * Any other refusal
     */
    default: Problem;
};

export type LoginMethodsError = LoginMethodsErrors[keyof LoginMethodsErrors];

export type LoginMethodsResponses = {
    /**
     * The ways of signing in.
     */
    200: SignInMethods;
};

export type LoginMethodsResponse = LoginMethodsResponses[keyof LoginMethodsResponses];

export type LoginOidcData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * A path of the service, or `http://127.0.0.1:<port>/...`.
         */
        return_to?: string;
    };
    url: '/login/oidc';
};

export type LoginOidcErrors = {
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * `unavailable`: Not available now
     */
    503: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type LoginOidcError = LoginOidcErrors[keyof LoginOidcErrors];

export type LoginOidcResponses = {
    /**
     * Any other refusal
     */
    default: Problem;
};

export type LoginOidcResponse = LoginOidcResponses[keyof LoginOidcResponses];

export type LoginOidcCallbackData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/login/oidc/callback';
};

export type LoginOidcCallbackErrors = {
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * `unavailable`: Not available now
     */
    503: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type LoginOidcCallbackError = LoginOidcCallbackErrors[keyof LoginOidcCallbackErrors];

export type LoginOidcCallbackResponses = {
    /**
     * Any other refusal
     */
    default: Problem;
};

export type LoginOidcCallbackResponse = LoginOidcCallbackResponses[keyof LoginOidcCallbackResponses];

export type LoginOidcTokenData = {
    body: {
        /**
         * What stands behind `#code=` or `#dev=`; it counts once.
         */
        code: string;
    };
    path?: never;
    query?: never;
    url: '/login/oidc/token';
};

export type LoginOidcTokenErrors = {
    /**
     * `invalid_token`: The one-time code or link is not valid
     */
    400: Problem;
    /**
     * `request_timeout`: The request took too long to arrive
     */
    408: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * `unavailable`: Not available now
     */
    503: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type LoginOidcTokenError = LoginOidcTokenErrors[keyof LoginOidcTokenErrors];

export type LoginOidcTokenResponses = {
    /**
     * A session token
     */
    200: Token;
};

export type LoginOidcTokenResponse = LoginOidcTokenResponses[keyof LoginOidcTokenResponses];

export type OauthListTokensData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Those of everybody.
         */
        all?: boolean;
    };
    url: '/oauth/tokens';
};

export type OauthListTokensErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type OauthListTokensError = OauthListTokensErrors[keyof OauthListTokensErrors];

export type OauthListTokensResponses = {
    /**
     * Agents, the newest first.
     */
    200: Array<AgentToken>;
};

export type OauthListTokensResponse = OauthListTokensResponses[keyof OauthListTokensResponses];

export type OauthMintTokenData = {
    body: {
        /**
         * Name of the agent, which the audit trail shows.
         */
        client: string;
        /**
         * What it may do, of all that you may.
         */
        scopes: Array<Scope>;
        /**
         * Days for which the token counts.
         */
        expires_in_days?: number;
    };
    path?: never;
    query?: never;
    url: '/oauth/tokens';
};

export type OauthMintTokenErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type OauthMintTokenError = OauthMintTokenErrors[keyof OauthMintTokenErrors];

export type OauthMintTokenResponses = {
    /**
     * The token, which is shown this once.
     */
    201: AgentTokenMinted;
};

export type OauthMintTokenResponse = OauthMintTokenResponses[keyof OauthMintTokenResponses];

export type OauthRevokeTokenData = {
    body?: never;
    path: {
        /**
         * Of the agent, as lists tell it.
         */
        id: string;
    };
    query?: never;
    url: '/oauth/tokens/{id}/revoke';
};

export type OauthRevokeTokenErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type OauthRevokeTokenError = OauthRevokeTokenErrors[keyof OauthRevokeTokenErrors];

export type OauthRevokeTokenResponses = {
    /**
     * The agent as it is now.
     */
    200: AgentToken;
};

export type OauthRevokeTokenResponse = OauthRevokeTokenResponses[keyof OauthRevokeTokenResponses];

export type OauthListClientsData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/oauth/clients';
};

export type OauthListClientsErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type OauthListClientsError = OauthListClientsErrors[keyof OauthListClientsErrors];

export type OauthListClientsResponses = {
    /**
     * Programs by name.
     */
    200: Array<OAuthClient>;
};

export type OauthListClientsResponse = OauthListClientsResponses[keyof OauthListClientsResponses];

export type OauthAddClientData = {
    body: {
        /**
         * What users are shown.
         */
        name: string;
        /**
         * Where a user is sent back to: https, http on this machine (any port will do), or a scheme of its own.
         */
        redirect_uris: Array<string>;
    };
    path?: never;
    query?: never;
    url: '/oauth/clients';
};

export type OauthAddClientErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type OauthAddClientError = OauthAddClientErrors[keyof OauthAddClientErrors];

export type OauthAddClientResponses = {
    /**
     * The program.
     */
    201: OAuthClient;
};

export type OauthAddClientResponse = OauthAddClientResponses[keyof OauthAddClientResponses];

export type OauthRemoveClientData = {
    body?: never;
    path: {
        /**
         * Its `client_id`.
         */
        id: string;
    };
    query?: never;
    url: '/oauth/clients/{id}';
};

export type OauthRemoveClientErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type OauthRemoveClientError = OauthRemoveClientErrors[keyof OauthRemoveClientErrors];

export type OauthRemoveClientResponses = {
    /**
     * The program is forgotten.
     */
    204: void;
};

export type OauthRemoveClientResponse = OauthRemoveClientResponses[keyof OauthRemoveClientResponses];

export type FlowsListData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/flows/';
};

export type FlowsListErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type FlowsListError = FlowsListErrors[keyof FlowsListErrors];

export type FlowsListResponses = {
    /**
     * Flows with their state, by name.
     */
    200: Array<FlowListItem>;
};

export type FlowsListResponse = FlowsListResponses[keyof FlowsListResponses];

export type FlowsNodeTypesData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/flows/node-types';
};

export type FlowsNodeTypesErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type FlowsNodeTypesError = FlowsNodeTypesErrors[keyof FlowsNodeTypesErrors];

export type FlowsNodeTypesResponses = {
    /**
     * Node types by name.
     */
    200: Array<NodeType>;
};

export type FlowsNodeTypesResponse = FlowsNodeTypesResponses[keyof FlowsNodeTypesResponses];

export type FlowsGraphData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/flows/graph';
};

export type FlowsGraphErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type FlowsGraphError = FlowsGraphErrors[keyof FlowsGraphErrors];

export type FlowsGraphResponses = {
    /**
     * All flows, and the messages between them.
     */
    200: FlowGraph;
};

export type FlowsGraphResponse = FlowsGraphResponses[keyof FlowsGraphResponses];

export type FlowsDeleteData = {
    body?: never;
    path: {
        /**
         * Name of the flow.
         */
        name: string;
    };
    query?: never;
    url: '/flows/{name}';
};

export type FlowsDeleteErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `flow_has_active_runs`: The flow has queued or running runs · `code_defined`: It is defined in code
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type FlowsDeleteError = FlowsDeleteErrors[keyof FlowsDeleteErrors];

export type FlowsDeleteResponses = {
    /**
     * The flow is gone.
     */
    204: void;
};

export type FlowsDeleteResponse = FlowsDeleteResponses[keyof FlowsDeleteResponses];

export type FlowsGetData = {
    body?: never;
    path: {
        /**
         * Name of the flow.
         */
        name: string;
    };
    query?: {
        /**
         * The published content.
         */
        published?: boolean;
    };
    url: '/flows/{name}';
};

export type FlowsGetErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `not_published`: Nothing is published
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type FlowsGetError = FlowsGetErrors[keyof FlowsGetErrors];

export type FlowsGetResponses = {
    /**
     * The flow.
     */
    200: Flow;
};

export type FlowsGetResponse = FlowsGetResponses[keyof FlowsGetResponses];

export type FlowsSaveData = {
    body: FlowDocument;
    path: {
        /**
         * Name of the flow.
         */
        name: string;
    };
    query?: never;
    url: '/flows/{name}';
};

export type FlowsSaveErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `version_conflict`: Somebody saved first · `code_defined`: It is defined in code
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type FlowsSaveError = FlowsSaveErrors[keyof FlowsSaveErrors];

export type FlowsSaveResponses = {
    /**
     * The draft is stored.
     */
    200: Flow;
    /**
     * The flow is new.
     */
    201: Flow;
};

export type FlowsSaveResponse = FlowsSaveResponses[keyof FlowsSaveResponses];

export type FlowsSaveLayoutData = {
    /**
     * Further keys belong to whoever draws: zoom, colours, notes.
     */
    body: {
        /**
         * Places of nodes by their ids. Ids that neither the draft nor the published form has are left out.
         */
        nodes: {
            [key: string]: NodePosition;
        };
        [key: string]: JsonValue | {
            [key: string]: NodePosition;
        };
    };
    path: {
        /**
         * Name of the flow.
         */
        name: string;
    };
    query?: never;
    url: '/flows/{name}/layout';
};

export type FlowsSaveLayoutErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type FlowsSaveLayoutError = FlowsSaveLayoutErrors[keyof FlowsSaveLayoutErrors];

export type FlowsSaveLayoutResponses = {
    /**
     * The layout as it is stored.
     */
    200: Layout;
};

export type FlowsSaveLayoutResponse = FlowsSaveLayoutResponses[keyof FlowsSaveLayoutResponses];

export type FlowsPublishData = {
    body: {
        /**
         * The version that was read.
         */
        version: number;
        /**
         * Make every node anew, not only those that have changed.
         */
        restart?: boolean;
    };
    path: {
        /**
         * Name of the flow.
         */
        name: string;
    };
    query?: never;
    url: '/flows/{name}/publish';
};

export type FlowsPublishErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `version_conflict`: Somebody saved first · `code_defined`: It is defined in code
     */
    409: Problem;
    /**
     * `flow_invalid`: The flow has errors · `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type FlowsPublishError = FlowsPublishErrors[keyof FlowsPublishErrors];

export type FlowsPublishResponses = {
    /**
     * The flow, and what was made anew.
     */
    200: PublishedFlow;
};

export type FlowsPublishResponse = FlowsPublishResponses[keyof FlowsPublishResponses];

export type FlowsDiscardDraftData = {
    body?: never;
    path: {
        /**
         * Name of the flow.
         */
        name: string;
    };
    query?: never;
    url: '/flows/{name}/discard-draft';
};

export type FlowsDiscardDraftErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `not_published`: Nothing is published · `code_defined`: It is defined in code
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type FlowsDiscardDraftError = FlowsDiscardDraftErrors[keyof FlowsDiscardDraftErrors];

export type FlowsDiscardDraftResponses = {
    /**
     * The flow.
     */
    200: Flow;
};

export type FlowsDiscardDraftResponse = FlowsDiscardDraftResponses[keyof FlowsDiscardDraftResponses];

export type FlowsRenameData = {
    body: {
        /**
         * The new name, which no other flow has.
         */
        name: string;
    };
    path: {
        /**
         * Name of the flow.
         */
        name: string;
    };
    query?: never;
    url: '/flows/{name}/rename';
};

export type FlowsRenameErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `already_exists`: The name is taken · `code_defined`: It is defined in code · `in_use`: Still in use
     */
    409: Problem;
    /**
     * `flow_invalid`: The flow has errors · `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type FlowsRenameError = FlowsRenameErrors[keyof FlowsRenameErrors];

export type FlowsRenameResponses = {
    /**
     * The flow under its new name.
     */
    200: Flow;
};

export type FlowsRenameResponse = FlowsRenameResponses[keyof FlowsRenameResponses];

export type FlowsDuplicateData = {
    body?: {
        /**
         * Defaults to `{name}_copy`.
         */
        name?: string;
    };
    path: {
        /**
         * Name of the flow.
         */
        name: string;
    };
    query?: never;
    url: '/flows/{name}/duplicate';
};

export type FlowsDuplicateErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `already_exists`: The name is taken
     */
    409: Problem;
    /**
     * `flow_invalid`: The flow has errors · `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type FlowsDuplicateError = FlowsDuplicateErrors[keyof FlowsDuplicateErrors];

export type FlowsDuplicateResponses = {
    /**
     * The copy.
     */
    201: Flow;
};

export type FlowsDuplicateResponse = FlowsDuplicateResponses[keyof FlowsDuplicateResponses];

export type FlowsValidateData = {
    body?: FlowDocument;
    path: {
        /**
         * Name of the flow.
         */
        name: string;
    };
    query?: never;
    url: '/flows/{name}/validate';
};

export type FlowsValidateErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type FlowsValidateError = FlowsValidateErrors[keyof FlowsValidateErrors];

export type FlowsValidateResponses = {
    /**
     * What was found.
     */
    200: ValidationResult;
};

export type FlowsValidateResponse = FlowsValidateResponses[keyof FlowsValidateResponses];

export type FlowsStartData = {
    body?: never;
    path: {
        /**
         * Name of the flow.
         */
        name: string;
    };
    query?: never;
    url: '/flows/{name}/start';
};

export type FlowsStartErrors = {
    /**
     * `wrong_mode`: Not possible in this mode of the flow
     */
    400: Problem;
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_published`: Nothing is published · `in_use`: Still in use
     */
    409: Problem;
    /**
     * `flow_invalid`: The flow has errors · `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type FlowsStartError = FlowsStartErrors[keyof FlowsStartErrors];

export type FlowsStartResponses = {
    /**
     * The flow is active.
     */
    200: FlowState;
};

export type FlowsStartResponse = FlowsStartResponses[keyof FlowsStartResponses];

export type FlowsStopData = {
    body?: never;
    path: {
        /**
         * Name of the flow.
         */
        name: string;
    };
    query?: never;
    url: '/flows/{name}/stop';
};

export type FlowsStopErrors = {
    /**
     * `wrong_mode`: Not possible in this mode of the flow
     */
    400: Problem;
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `in_use`: Still in use
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type FlowsStopError = FlowsStopErrors[keyof FlowsStopErrors];

export type FlowsStopResponses = {
    /**
     * The flow is stopped.
     */
    200: FlowState;
};

export type FlowsStopResponse = FlowsStopResponses[keyof FlowsStopResponses];

export type FlowsPauseData = {
    body?: never;
    path: {
        /**
         * Name of the flow.
         */
        name: string;
    };
    query?: never;
    url: '/flows/{name}/pause';
};

export type FlowsPauseErrors = {
    /**
     * `wrong_mode`: Not possible in this mode of the flow
     */
    400: Problem;
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `not_active`: The flow is not active · `in_use`: Still in use
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type FlowsPauseError = FlowsPauseErrors[keyof FlowsPauseErrors];

export type FlowsPauseResponses = {
    /**
     * The flow is paused.
     */
    200: FlowState;
};

export type FlowsPauseResponse = FlowsPauseResponses[keyof FlowsPauseResponses];

export type FlowsResumeData = {
    body?: never;
    path: {
        /**
         * Name of the flow.
         */
        name: string;
    };
    query?: never;
    url: '/flows/{name}/resume';
};

export type FlowsResumeErrors = {
    /**
     * `wrong_mode`: Not possible in this mode of the flow
     */
    400: Problem;
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `not_active`: The flow is not active · `in_use`: Still in use
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type FlowsResumeError = FlowsResumeErrors[keyof FlowsResumeErrors];

export type FlowsResumeResponses = {
    /**
     * The flow is active; what was held is delivered in order.
     */
    200: FlowState;
};

export type FlowsResumeResponse = FlowsResumeResponses[keyof FlowsResumeResponses];

export type FlowsStepData = {
    body?: never;
    path: {
        /**
         * Name of the flow.
         */
        name: string;
    };
    query?: never;
    url: '/flows/{name}/step';
};

export type FlowsStepErrors = {
    /**
     * `wrong_mode`: Not possible in this mode of the flow
     */
    400: Problem;
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `not_paused`: The flow is not paused · `in_use`: Still in use
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type FlowsStepError = FlowsStepErrors[keyof FlowsStepErrors];

export type FlowsStepResponses = {
    /**
     * How much was released, and is held now.
     */
    200: StepResult;
};

export type FlowsStepResponse = FlowsStepResponses[keyof FlowsStepResponses];

export type FlowsRunData = {
    body?: {
        /**
         * Values by the name of an input, in place of the initial ones.
         */
        inputs?: {
            [key: string]: JsonValue;
        };
    };
    path: {
        /**
         * Name of the flow.
         */
        name: string;
    };
    query?: never;
    url: '/flows/{name}/run';
};

export type FlowsRunErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `validation_failed`: The request is not valid · `flow_invalid`: The flow has errors
     */
    422: Problem;
    /**
     * `rate_limited`: Too many requests
     */
    429: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type FlowsRunError = FlowsRunErrors[keyof FlowsRunErrors];

export type FlowsRunResponses = {
    /**
     * What came of the live flow.
     */
    200: LiveRunResult;
    /**
     * The queued run of the batch flow.
     */
    201: Run;
};

export type FlowsRunResponse = FlowsRunResponses[keyof FlowsRunResponses];

export type FlowsTryData = {
    body?: {
        /**
         * Values by the name of an input, in place of the initial ones.
         */
        inputs?: {
            [key: string]: JsonValue;
        };
    };
    path: {
        /**
         * Name of the flow.
         */
        name: string;
    };
    query?: never;
    url: '/flows/{name}/try';
};

export type FlowsTryErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `validation_failed`: The request is not valid · `flow_invalid`: The flow has errors
     */
    422: Problem;
    /**
     * `rate_limited`: Too many requests
     */
    429: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type FlowsTryError = FlowsTryErrors[keyof FlowsTryErrors];

export type FlowsTryResponses = {
    /**
     * What came of the live flow.
     */
    200: LiveRunResult;
    /**
     * The queued run of the batch flow.
     */
    201: Run;
};

export type FlowsTryResponse = FlowsTryResponses[keyof FlowsTryResponses];

export type FlowsNodesTriggerData = {
    body?: {
        /**
         * Values by input port, in place of the last ones.
         */
        values?: {
            [key: string]: JsonValue;
        };
    };
    path: {
        /**
         * Name of the flow.
         */
        name: string;
        /**
         * Id of the node.
         */
        id: string;
    };
    query?: never;
    url: '/flows/{name}/nodes/{id}/trigger';
};

export type FlowsNodesTriggerErrors = {
    /**
     * `wrong_mode`: Not possible in this mode of the flow
     */
    400: Problem;
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `not_active`: The flow is not active · `in_use`: Still in use
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type FlowsNodesTriggerError = FlowsNodesTriggerErrors[keyof FlowsNodesTriggerErrors];

export type FlowsNodesTriggerResponses = {
    /**
     * The values are accepted.
     */
    202: TriggerResult;
};

export type FlowsNodesTriggerResponse = FlowsNodesTriggerResponses[keyof FlowsNodesTriggerResponses];

export type FlowsNodesCancelData = {
    body?: never;
    path: {
        /**
         * Name of the flow.
         */
        name: string;
        /**
         * Id of the node.
         */
        id: string;
    };
    query?: never;
    url: '/flows/{name}/nodes/{id}/cancel';
};

export type FlowsNodesCancelErrors = {
    /**
     * `wrong_mode`: Not possible in this mode of the flow
     */
    400: Problem;
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `in_use`: Still in use
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type FlowsNodesCancelError = FlowsNodesCancelErrors[keyof FlowsNodesCancelErrors];

export type FlowsNodesCancelResponses = {
    /**
     * How many executions were ended.
     */
    200: NodeCancelResult;
};

export type FlowsNodesCancelResponse = FlowsNodesCancelResponses[keyof FlowsNodesCancelResponses];

export type FlowsNodesAcknowledgeData = {
    body?: never;
    path: {
        /**
         * Name of the flow.
         */
        name: string;
        /**
         * Id of the node.
         */
        id: string;
    };
    query?: never;
    url: '/flows/{name}/nodes/{id}/acknowledge';
};

export type FlowsNodesAcknowledgeErrors = {
    /**
     * `wrong_mode`: Not possible in this mode of the flow
     */
    400: Problem;
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `in_use`: Still in use
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type FlowsNodesAcknowledgeError = FlowsNodesAcknowledgeErrors[keyof FlowsNodesAcknowledgeErrors];

export type FlowsNodesAcknowledgeResponses = {
    /**
     * The node.
     */
    200: NodeState;
};

export type FlowsNodesAcknowledgeResponse = FlowsNodesAcknowledgeResponses[keyof FlowsNodesAcknowledgeResponses];

export type FlowsNodesLogsData = {
    body?: never;
    path: {
        /**
         * Name of the flow.
         */
        name: string;
        /**
         * Id of the node.
         */
        node: string;
    };
    query?: {
        /**
         * Bytes to leave out: `next` of the answer before. What is kept no more is left out anyway.
         */
        after?: number;
        /**
         * Bytes of text at most; one whole character is given all the same.
         */
        limit?: number;
    };
    url: '/flows/{name}/nodes/{node}/logs';
};

export type FlowsNodesLogsErrors = {
    /**
     * `wrong_mode`: Not possible in this mode of the flow
     */
    400: Problem;
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `in_use`: Still in use
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type FlowsNodesLogsError = FlowsNodesLogsErrors[keyof FlowsNodesLogsErrors];

export type FlowsNodesLogsResponses = {
    /**
     * A part of the log.
     */
    200: NodeLogs;
};

export type FlowsNodesLogsResponse = FlowsNodesLogsResponses[keyof FlowsNodesLogsResponses];

export type FlowsNodesGetSourceData = {
    body?: never;
    path: {
        /**
         * Name of the flow.
         */
        name: string;
        /**
         * Id of the node.
         */
        id: string;
    };
    query?: never;
    url: '/flows/{name}/nodes/{id}/source';
};

export type FlowsNodesGetSourceErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type FlowsNodesGetSourceError = FlowsNodesGetSourceErrors[keyof FlowsNodesGetSourceErrors];

export type FlowsNodesGetSourceResponses = {
    /**
     * The code, private or shared.
     */
    200: NodeSource;
};

export type FlowsNodesGetSourceResponse = FlowsNodesGetSourceResponses[keyof FlowsNodesGetSourceResponses];

export type FlowsNodesPutSourceData = {
    body: {
        /**
         * The new text.
         */
        code: string;
        /**
         * As the source was read; left out: whatever it is now.
         */
        version?: number;
    };
    path: {
        /**
         * Name of the flow.
         */
        name: string;
        /**
         * Id of the node.
         */
        id: string;
    };
    query?: never;
    url: '/flows/{name}/nodes/{id}/source';
};

export type FlowsNodesPutSourceErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `version_conflict`: Somebody saved first · `code_defined`: It is defined in code
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type FlowsNodesPutSourceError = FlowsNodesPutSourceErrors[keyof FlowsNodesPutSourceErrors];

export type FlowsNodesPutSourceResponses = {
    /**
     * The code as it is now.
     */
    200: NodeSource;
};

export type FlowsNodesPutSourceResponse = FlowsNodesPutSourceResponses[keyof FlowsNodesPutSourceResponses];

export type FlowsNodesShareData = {
    body?: {
        /**
         * Defaults to the id of the node.
         */
        name?: string;
    };
    path: {
        /**
         * Name of the flow.
         */
        name: string;
        /**
         * Id of the node.
         */
        id: string;
    };
    query?: never;
    url: '/flows/{name}/nodes/{id}/share';
};

export type FlowsNodesShareErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `already_exists`: The name is taken · `code_defined`: It is defined in code
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type FlowsNodesShareError = FlowsNodesShareErrors[keyof FlowsNodesShareErrors];

export type FlowsNodesShareResponses = {
    /**
     * The shared code.
     */
    200: NodeSource;
};

export type FlowsNodesShareResponse = FlowsNodesShareResponses[keyof FlowsNodesShareResponses];

export type FlowsNodesUnshareData = {
    body?: never;
    path: {
        /**
         * Name of the flow.
         */
        name: string;
        /**
         * Id of the node.
         */
        id: string;
    };
    query?: never;
    url: '/flows/{name}/nodes/{id}/unshare';
};

export type FlowsNodesUnshareErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `code_defined`: It is defined in code
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type FlowsNodesUnshareError = FlowsNodesUnshareErrors[keyof FlowsNodesUnshareErrors];

export type FlowsNodesUnshareResponses = {
    /**
     * The private code.
     */
    200: NodeSource;
};

export type FlowsNodesUnshareResponse = FlowsNodesUnshareResponses[keyof FlowsNodesUnshareResponses];

export type LibraryListData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/flows/library';
};

export type LibraryListErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type LibraryListError = LibraryListErrors[keyof LibraryListErrors];

export type LibraryListResponses = {
    /**
     * Shared sources with their users, by name.
     */
    200: Array<LibrarySource>;
};

export type LibraryListResponse = LibraryListResponses[keyof LibraryListResponses];

export type LibraryDeleteData = {
    body?: never;
    path: {
        /**
         * Name of the library source.
         */
        name: string;
    };
    query?: {
        /**
         * Give every user its own copy, in its draft and in its published form.
         */
        detach?: boolean;
    };
    url: '/flows/library/{name}';
};

export type LibraryDeleteErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `in_use`: Still in use
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type LibraryDeleteError = LibraryDeleteErrors[keyof LibraryDeleteErrors];

export type LibraryDeleteResponses = {
    /**
     * The source is gone.
     */
    204: void;
};

export type LibraryDeleteResponse = LibraryDeleteResponses[keyof LibraryDeleteResponses];

export type FlowsVersionsData = {
    body?: never;
    path: {
        /**
         * Name of the flow.
         */
        name: string;
    };
    query?: {
        /**
         * Only older ones: the `version` of the last row read.
         */
        before?: number;
        /**
         * Rows at most.
         */
        limit?: number;
    };
    url: '/flows/{name}/versions';
};

export type FlowsVersionsErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type FlowsVersionsError = FlowsVersionsErrors[keyof FlowsVersionsErrors];

export type FlowsVersionsResponses = {
    /**
     * Versions, newest first.
     */
    200: Array<FlowVersion>;
};

export type FlowsVersionsResponse = FlowsVersionsResponses[keyof FlowsVersionsResponses];

export type FlowsVersionData = {
    body?: never;
    path: {
        /**
         * Name of the flow.
         */
        name: string;
        /**
         * A version that was published.
         */
        version: number;
    };
    query?: never;
    url: '/flows/{name}/versions/{version}';
};

export type FlowsVersionErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `flow_invalid`: The flow has errors · `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type FlowsVersionError = FlowsVersionErrors[keyof FlowsVersionErrors];

export type FlowsVersionResponses = {
    /**
     * The version with its document and sources.
     */
    200: FlowVersionContent;
};

export type FlowsVersionResponse = FlowsVersionResponses[keyof FlowsVersionResponses];

export type FlowsDiffData = {
    body?: never;
    path: {
        /**
         * Name of the flow.
         */
        name: string;
        /**
         * A version that was published.
         */
        version: number;
    };
    query?: {
        /**
         * What it is compared with: the number of a version, `draft`, or `published`, which is what the flow has now. Left out: the draft if there is one, else what is published.
         */
        to?: string;
    };
    url: '/flows/{name}/versions/{version}/diff';
};

export type FlowsDiffErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `flow_invalid`: The flow has errors · `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type FlowsDiffError = FlowsDiffErrors[keyof FlowsDiffErrors];

export type FlowsDiffResponses = {
    /**
     * What is different.
     */
    200: FlowDiff;
};

export type FlowsDiffResponse = FlowsDiffResponses[keyof FlowsDiffResponses];

export type FlowsRestoreData = {
    body: {
        /**
         * The version of the flow that was read.
         */
        version: number;
    };
    path: {
        /**
         * Name of the flow.
         */
        name: string;
        /**
         * A version that was published.
         */
        version: number;
    };
    query?: never;
    url: '/flows/{name}/versions/{version}/restore';
};

export type FlowsRestoreErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `version_conflict`: Somebody saved first · `code_defined`: It is defined in code
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid · `flow_invalid`: The flow has errors
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type FlowsRestoreError = FlowsRestoreErrors[keyof FlowsRestoreErrors];

export type FlowsRestoreResponses = {
    /**
     * The flow with the draft.
     */
    200: Flow;
};

export type FlowsRestoreResponse = FlowsRestoreResponses[keyof FlowsRestoreResponses];

export type FlowsWsTicketData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/flows/ws-ticket';
};

export type FlowsWsTicketErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type FlowsWsTicketError = FlowsWsTicketErrors[keyof FlowsWsTicketErrors];

export type FlowsWsTicketResponses = {
    /**
     * The ticket.
     */
    201: WsTicket;
};

export type FlowsWsTicketResponse = FlowsWsTicketResponses[keyof FlowsWsTicketResponses];

export type MessagesListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Only those of this flow.
         */
        flow?: string;
        /**
         * Only those whose qualified names begin so, as in `climate.room_`.
         */
        prefix?: string;
    };
    url: '/messages/';
};

export type MessagesListErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type MessagesListError = MessagesListErrors[keyof MessagesListErrors];

export type MessagesListResponses = {
    /**
     * All messages by name.
     */
    200: Array<Message>;
};

export type MessagesListResponse = MessagesListResponses[keyof MessagesListResponses];

export type MessagesPublishData = {
    body: {
        /**
         * Of the dtype of the message.
         */
        value: JsonValue;
    };
    path: {
        /**
         * `flow.message`, or `message` where a single flow declares it.
         */
        message: string;
    };
    query?: never;
    url: '/messages/{message}';
};

export type MessagesPublishErrors = {
    /**
     * `wrong_mode`: Not possible in this mode of the flow
     */
    400: Problem;
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `message_not_declared`: No published flow declares the message
     */
    404: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type MessagesPublishError = MessagesPublishErrors[keyof MessagesPublishErrors];

export type MessagesPublishResponses = {
    /**
     * The value is stored.
     */
    200: PublishedMessage;
};

export type MessagesPublishResponse = MessagesPublishResponses[keyof MessagesPublishResponses];

export type MessagesHistoryData = {
    body?: never;
    path: {
        /**
         * `flow.message`, or `message` where a single flow declares it.
         */
        message: string;
    };
    query?: {
        /**
         * Rows at most.
         */
        limit?: number;
        /**
         * Only rows older than this: the `created_at` of the last row read.
         */
        before?: string;
        /**
         * Only rows of this time and later.
         */
        since?: string;
    };
    url: '/messages/{message}/history';
};

export type MessagesHistoryErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `message_not_declared`: No published flow declares the message
     */
    404: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type MessagesHistoryError = MessagesHistoryErrors[keyof MessagesHistoryErrors];

export type MessagesHistoryResponses = {
    /**
     * A page of values.
     */
    200: Array<MessageHistoryEntry>;
};

export type MessagesHistoryResponse = MessagesHistoryResponses[keyof MessagesHistoryResponses];

export type RunsSubmitData = {
    body?: {
        /**
         * Values of inputs by name; one that is left out has its initial value.
         */
        params?: {
            [key: string]: JsonValue;
        };
        /**
         * Fills the input `seed`, if the flow has one, and is recorded.
         */
        seed?: number;
        /**
         * The draft in place of the published version.
         */
        draft?: boolean;
        /**
         * Execute every stage; what comes out is stored.
         */
        no_cache?: boolean;
        /**
         * Higher is executed first; runs of one priority in the order of their submission.
         */
        priority?: number;
        /**
         * A key that was used before answers with the run submitted then.
         */
        idempotency_key?: string;
    };
    path: {
        /**
         * Name of the flow.
         */
        name: string;
    };
    query?: never;
    url: '/runs/flows/{name}';
};

export type RunsSubmitErrors = {
    /**
     * `wrong_mode`: Not possible in this mode of the flow
     */
    400: Problem;
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `not_published`: Nothing is published
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid · `flow_invalid`: The flow has errors
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type RunsSubmitError = RunsSubmitErrors[keyof RunsSubmitErrors];

export type RunsSubmitResponses = {
    /**
     * The run that was submitted first under this key.
     */
    200: Run;
    /**
     * The queued run.
     */
    201: Run;
};

export type RunsSubmitResponse = RunsSubmitResponses[keyof RunsSubmitResponses];

export type RunsPlanData = {
    body?: {
        /**
         * Values of inputs by name, of one run.
         */
        params?: {
            [key: string]: JsonValue;
        };
        /**
         * Of one run.
         */
        seed?: number;
        /**
         * The params of each run.
         */
        runs?: Array<{
            [key: string]: JsonValue;
        }>;
        /**
         * One for each entry of `runs`.
         */
        seeds?: Array<number>;
        /**
         * The draft in place of the published version.
         */
        draft?: boolean;
        /**
         * Execute every stage; what comes out is stored.
         */
        no_cache?: boolean;
    };
    path: {
        /**
         * Name of the flow.
         */
        name: string;
    };
    query?: never;
    url: '/runs/flows/{name}/plan';
};

export type RunsPlanErrors = {
    /**
     * `wrong_mode`: Not possible in this mode of the flow
     */
    400: Problem;
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `not_published`: Nothing is published
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid · `flow_invalid`: The flow has errors
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type RunsPlanError = RunsPlanErrors[keyof RunsPlanErrors];

export type RunsPlanResponses = {
    /**
     * The plan.
     */
    200: RunPlan;
};

export type RunsPlanResponse = RunsPlanResponses[keyof RunsPlanResponses];

export type RunsDeleteData = {
    body?: never;
    path: {
        /**
         * Of the run.
         */
        id: string;
    };
    query?: never;
    url: '/runs/{id}';
};

export type RunsDeleteErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `run_active`: The run is not finished
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type RunsDeleteError = RunsDeleteErrors[keyof RunsDeleteErrors];

export type RunsDeleteResponses = {
    /**
     * The run is deleted.
     */
    204: void;
};

export type RunsDeleteResponse = RunsDeleteResponses[keyof RunsDeleteResponses];

export type RunsGetData = {
    body?: never;
    path: {
        /**
         * Of the run.
         */
        id: string;
    };
    query?: never;
    url: '/runs/{id}';
};

export type RunsGetErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type RunsGetError = RunsGetErrors[keyof RunsGetErrors];

export type RunsGetResponses = {
    /**
     * The run.
     */
    200: Run;
};

export type RunsGetResponse = RunsGetResponses[keyof RunsGetResponses];

export type RunsUpdateData = {
    body: {
        /**
         * What is written about the run, in place of what was.
         */
        note?: string;
        /**
         * Its tags, in place of those that it had.
         */
        tags?: Array<RunTag>;
        /**
         * Whether it is pinned.
         */
        pinned?: boolean;
        /**
         * Whether lists leave it out unless they are asked for it.
         */
        archived?: boolean;
    };
    path: {
        /**
         * Of the run.
         */
        id: string;
    };
    query?: never;
    url: '/runs/{id}';
};

export type RunsUpdateErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type RunsUpdateError = RunsUpdateErrors[keyof RunsUpdateErrors];

export type RunsUpdateResponses = {
    /**
     * The run.
     */
    200: RunSummary;
};

export type RunsUpdateResponse = RunsUpdateResponses[keyof RunsUpdateResponses];

export type RunsCancelData = {
    body?: never;
    path: {
        /**
         * Of the run.
         */
        id: string;
    };
    query?: never;
    url: '/runs/{id}/cancel';
};

export type RunsCancelErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type RunsCancelError = RunsCancelErrors[keyof RunsCancelErrors];

export type RunsCancelResponses = {
    /**
     * The run.
     */
    200: Run;
};

export type RunsCancelResponse = RunsCancelResponses[keyof RunsCancelResponses];

export type RunsMetricsData = {
    body?: never;
    path: {
        /**
         * Of the run.
         */
        id: string;
    };
    query?: {
        /**
         * Messages, bare or as `<flow>.<message>`, separated by commas.
         */
        name?: string;
        /**
         * Every how many points of a curve one is given; the last is always. 1 unless given.
         */
        stride?: number;
        /**
         * Most points of a curve, as columns: of each range of x the least and the greatest value stay.
         */
        points?: number;
        /**
         * Only points of later steps.
         */
        after_step?: number;
    };
    url: '/runs/{id}/metrics';
};

export type RunsMetricsErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type RunsMetricsError = RunsMetricsErrors[keyof RunsMetricsErrors];

export type RunsMetricsResponses = {
    /**
     * The curves.
     */
    200: Array<MetricSeries> | Array<CurveColumns>;
};

export type RunsMetricsResponse = RunsMetricsResponses[keyof RunsMetricsResponses];

export type RunsDeleteAllData = {
    body?: never;
    path?: never;
    query: {
        /**
         * Name of the flow, which need not exist any more.
         */
        flow: string;
        /**
         * Delete what is listed of the flow as executions, too.
         */
        history?: boolean;
    };
    url: '/runs';
};

export type RunsDeleteAllErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `run_active`: The run is not finished
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type RunsDeleteAllError = RunsDeleteAllErrors[keyof RunsDeleteAllErrors];

export type RunsDeleteAllResponses = {
    /**
     * How many runs were deleted.
     */
    200: DeletedCount;
};

export type RunsDeleteAllResponse = RunsDeleteAllResponses[keyof RunsDeleteAllResponses];

export type RunsListData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Rows at most.
         */
        limit?: number;
        /**
         * Only rows older than this: the `created_at` of the last row read.
         */
        before?: string;
        /**
         * Only rows of this time and later.
         */
        since?: string;
        /**
         * Names of flows, separated by commas.
         */
        flow?: string;
        /**
         * Statuses of runs, separated by commas.
         */
        status?: string;
        /**
         * Only runs of this sweep.
         */
        group?: string;
        /**
         * Only runs that executed the document of this digest.
         */
        digest?: string;
        /**
         * Archived runs: left out, alone, or among the others. Left out unless given, but those named by `ids`.
         */
        archived?: 'false' | 'true' | 'any';
        /**
         * Terms as in `params.lr<0.01 metrics.acc>0.9 tags=best`, at most 32.
         */
        filter?: string;
        /**
         * Up to 3 fields, separated by commas, each with `-` in front for the greatest first: created_at, started_at, finished_at, duration_s, status, flow, seed, and params, results and metrics as in a filter. What is missing comes last; the newest first among equals.
         */
        sort?: string;
        /**
         * What is told of each run: params, results, metrics, progress, total (the number of all, in X-Total-Count), separated by commas.
         */
        include?: string;
        /**
         * Where the page begins: of the Link of the one before.
         */
        cursor?: string;
        /**
         * Runs that are passed over, at most 10,000.
         */
        offset?: number;
        /**
         * Place in the list where the page begins, for tables in which somebody jumps. In place of `offset`.
         */
        at?: number;
    };
    url: '/runs';
};

export type RunsListErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type RunsListError = RunsListErrors[keyof RunsListErrors];

export type RunsListResponses = {
    /**
     * The runs.
     */
    200: Array<RunSummary>;
};

export type RunsListResponse = RunsListResponses[keyof RunsListResponses];

export type RunsUpdateManyData = {
    body: {
        /**
         * The runs; each has to exist.
         */
        ids: Array<string>;
        /**
         * Tags that each of them gets.
         */
        add_tags?: Array<RunTag>;
        /**
         * Tags that none of them keeps.
         */
        remove_tags?: Array<RunTag>;
        /**
         * Whether it is pinned.
         */
        pinned?: boolean;
        /**
         * Whether lists leave it out unless they are asked for it.
         */
        archived?: boolean;
    };
    path?: never;
    query?: never;
    url: '/runs';
};

export type RunsUpdateManyErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type RunsUpdateManyError = RunsUpdateManyErrors[keyof RunsUpdateManyErrors];

export type RunsUpdateManyResponses = {
    /**
     * How many runs are different now.
     */
    200: ChangedCount;
};

export type RunsUpdateManyResponse = RunsUpdateManyResponses[keyof RunsUpdateManyResponses];

export type RunsDocumentData = {
    body?: never;
    path: {
        /**
         * Of the run.
         */
        id: string;
    };
    query?: never;
    url: '/runs/{id}/document';
};

export type RunsDocumentErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type RunsDocumentError = RunsDocumentErrors[keyof RunsDocumentErrors];

export type RunsDocumentResponses = {
    /**
     * The document.
     */
    200: {
        /**
         * By which it is addressed.
         */
        name: string;
        /**
         * For people; empty when it has none.
         */
        title: string;
        /**
         * For people; empty when it has none.
         */
        description: string;
        /**
         * Grows with every save; it is what a save or publish has to name.
         */
        version: number;
        /**
         * Live or batch.
         */
        mode: FlowMode;
        /**
         * Messages that come from outside.
         */
        inputs: Array<{
            /**
             * Of the message, without the flow.
             */
            name: string;
            /**
             * Type of the values.
             */
            dtype: Dtype;
            /**
             * Value before there is another one.
             */
            initial: JsonValue;
            /**
             * For people; empty when it has none.
             */
            title: string;
        }>;
        /**
         * Messages that are the result of a run.
         */
        outputs: Array<{
            /**
             * Of the message, without the flow.
             */
            name: string;
            /**
             * Its key in the result of a run.
             */
            port: string;
        }>;
        /**
         * The graph.
         */
        nodes: Array<Node>;
        /**
         * What its node processes get and ask for.
         */
        resources: {
            /**
             * Variables of the environment of its node processes.
             */
            env: {
                [key: string]: string;
            };
            /**
             * A named size; amounts beside it win.
             */
            flavor: string | null;
            /**
             * Processors that a call takes; null: any.
             */
            cpus: number | null;
            /**
             * GPUs that a call takes; null: any.
             */
            gpus: number | null;
            /**
             * Memory that a call takes, in MB; null: any.
             */
            memory: number | null;
            /**
             * Name of the interpreter that executes the Python nodes.
             */
            python?: string;
        };
        /**
         * How many runs of the flow execute at once, in all engines together; null: no limit of its own.
         */
        concurrency: number | null;
        /**
         * Where its nodes stand on a canvas.
         */
        layout: {
            [key: string]: JsonValue;
        };
    };
};

export type RunsDocumentResponse = RunsDocumentResponses[keyof RunsDocumentResponses];

export type RunsTrackData = {
    body: {
        /**
         * Chosen by the client, so that it can ask again: a UUID of version 7. Else by the engine.
         */
        id?: string;
        /**
         * Under which name the run is listed. No flow has to be there, and none is made.
         */
        flow: string;
        /**
         * What it was given, by name. Nothing is checked.
         */
        params?: {
            [key: string]: JsonValue;
        };
        /**
         * Seed of the run.
         */
        seed?: number;
        /**
         * What is written about it.
         */
        note?: string;
        /**
         * Words by which it is found.
         */
        tags?: Array<RunTag>;
        /**
         * Commit of the sources that execute.
         */
        commit?: string;
        /**
         * When it began; now unless given.
         */
        started_at?: string;
    };
    path?: never;
    query?: never;
    url: '/runs/track';
};

export type RunsTrackErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `already_exists`: The name is taken
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type RunsTrackError = RunsTrackErrors[keyof RunsTrackErrors];

export type RunsTrackResponses = {
    /**
     * The run that was begun under this id before.
     */
    200: Run;
    /**
     * The run.
     */
    201: Run;
};

export type RunsTrackResponse = RunsTrackResponses[keyof RunsTrackResponses];

export type RunsAppendData = {
    body: {
        /**
         * Counts what is sent of the run, from 1. Alone it says: still running.
         */
        seq: number;
        /**
         * Points of curves.
         */
        metrics?: Array<TrackedCurve>;
        /**
         * Further params; a known name has this value from now on.
         */
        params?: {
            [key: string]: JsonValue;
        };
        /**
         * Further results; likewise.
         */
        result?: {
            [key: string]: JsonValue;
        };
        /**
         * What the program has printed since.
         */
        logs?: string;
        /**
         * Stored bytes that belong to the run.
         */
        artifacts?: Array<TrackedArtifact>;
        /**
         * Ends the run.
         */
        status?: 'ok' | 'error' | 'cancelled';
        /**
         * Why it failed; with `status: "error"`.
         */
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
    };
    path: {
        /**
         * Of the run.
         */
        id: string;
    };
    query?: never;
    url: '/runs/{id}/track';
};

export type RunsAppendErrors = {
    /**
     * `wrong_mode`: Not possible in this mode of the flow
     */
    400: Problem;
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `version_conflict`: Somebody saved first · `not_active`: The flow is not active
     */
    409: Problem;
    /**
     * `payload_too_large`: The body is too large
     */
    413: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type RunsAppendError = RunsAppendErrors[keyof RunsAppendErrors];

export type RunsAppendResponses = {
    /**
     * How far the run is stored.
     */
    200: RunTracked;
};

export type RunsAppendResponse = RunsAppendResponses[keyof RunsAppendResponses];

export type RunsSweepData = {
    body: {
        /**
         * The params of each run.
         */
        runs: Array<{
            [key: string]: JsonValue;
        }>;
        /**
         * One for each entry of `runs`.
         */
        seeds?: Array<number>;
        /**
         * The draft in place of the published version.
         */
        draft?: boolean;
        /**
         * Execute every stage; what comes out is stored.
         */
        no_cache?: boolean;
        /**
         * Higher is executed first; runs of one priority in the order of their submission.
         */
        priority?: number;
    };
    path: {
        /**
         * Name of the flow.
         */
        name: string;
    };
    query?: never;
    url: '/runs/flows/{name}/sweep';
};

export type RunsSweepErrors = {
    /**
     * `wrong_mode`: Not possible in this mode of the flow
     */
    400: Problem;
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `not_published`: Nothing is published
     */
    409: Problem;
    /**
     * `payload_too_large`: The body is too large
     */
    413: Problem;
    /**
     * `validation_failed`: The request is not valid · `flow_invalid`: The flow has errors
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type RunsSweepError = RunsSweepErrors[keyof RunsSweepErrors];

export type RunsSweepResponses = {
    /**
     * The queued runs, in the order of the entries.
     */
    201: Sweep;
};

export type RunsSweepResponse = RunsSweepResponses[keyof RunsSweepResponses];

export type RunsRetryData = {
    body?: never;
    path: {
        /**
         * Of the run.
         */
        id: string;
    };
    query?: never;
    url: '/runs/{id}/retry';
};

export type RunsRetryErrors = {
    /**
     * `wrong_mode`: Not possible in this mode of the flow
     */
    400: Problem;
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `not_published`: Nothing is published · `run_active`: The run is not finished
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid · `flow_invalid`: The flow has errors
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type RunsRetryError = RunsRetryErrors[keyof RunsRetryErrors];

export type RunsRetryResponses = {
    /**
     * The queued run.
     */
    201: Run;
};

export type RunsRetryResponse = RunsRetryResponses[keyof RunsRetryResponses];

export type RunsImportData = {
    body: {
        /**
         * Runs that ended elsewhere.
         */
        runs: Array<ImportedRun>;
    };
    path?: never;
    query?: never;
    url: '/runs/import';
};

export type RunsImportErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `payload_too_large`: The body is too large
     */
    413: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type RunsImportError = RunsImportErrors[keyof RunsImportErrors];

export type RunsImportResponses = {
    /**
     * The run of each entry, in order.
     */
    200: RunImportResult;
};

export type RunsImportResponse = RunsImportResponses[keyof RunsImportResponses];

export type RunsOverviewData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/runs/overview';
};

export type RunsOverviewErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type RunsOverviewError = RunsOverviewErrors[keyof RunsOverviewErrors];

export type RunsOverviewResponses = {
    /**
     * The flows.
     */
    200: Array<RunOverview>;
};

export type RunsOverviewResponse = RunsOverviewResponses[keyof RunsOverviewResponses];

export type RunsNodeOutputsData = {
    body?: never;
    path: {
        /**
         * Of the run.
         */
        id: string;
        /**
         * Id of the node.
         */
        node: string;
    };
    query?: never;
    url: '/runs/{id}/nodes/{node}/outputs';
};

export type RunsNodeOutputsErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type RunsNodeOutputsError = RunsNodeOutputsErrors[keyof RunsNodeOutputsErrors];

export type RunsNodeOutputsResponses = {
    /**
     * The outputs by port.
     */
    200: NodeOutputs;
};

export type RunsNodeOutputsResponse = RunsNodeOutputsResponses[keyof RunsNodeOutputsResponses];

export type RunsNodeLogsData = {
    body?: never;
    path: {
        /**
         * Of the run.
         */
        id: string;
        /**
         * Id of the node.
         */
        node: string;
    };
    query?: {
        /**
         * Bytes to leave out: `next` of the answer before. What is kept no more is left out anyway.
         */
        after?: number;
        /**
         * Bytes of text at most; one whole character is given all the same.
         */
        limit?: number;
    };
    url: '/runs/{id}/nodes/{node}/logs';
};

export type RunsNodeLogsErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type RunsNodeLogsError = RunsNodeLogsErrors[keyof RunsNodeLogsErrors];

export type RunsNodeLogsResponses = {
    /**
     * A part of the log.
     */
    200: NodeLogs;
};

export type RunsNodeLogsResponse = RunsNodeLogsResponses[keyof RunsNodeLogsResponses];

export type MetricsNamesData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Names of flows, separated by commas.
         */
        flow?: string;
        /**
         * Statuses of runs, separated by commas.
         */
        status?: string;
        /**
         * Only runs of this sweep.
         */
        group?: string;
        /**
         * Only runs that executed the document of this digest.
         */
        digest?: string;
        /**
         * Ids of runs, separated by commas.
         */
        ids?: string;
        /**
         * Archived runs: left out, alone, or among the others. Left out unless given, but those named by `ids`.
         */
        archived?: 'false' | 'true' | 'any';
        /**
         * Only runs created at this time and later.
         */
        since?: string;
        /**
         * Only runs created before this time.
         */
        before?: string;
    };
    url: '/runs/metrics/names';
};

export type MetricsNamesErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type MetricsNamesError = MetricsNamesErrors[keyof MetricsNamesErrors];

export type MetricsNamesResponses = {
    /**
     * The names.
     */
    200: Array<MetricName>;
};

export type MetricsNamesResponse = MetricsNamesResponses[keyof MetricsNamesResponses];

export type MetricsCompareData = {
    body?: never;
    path?: never;
    query: {
        /**
         * Ids of at most 50 runs, separated by commas.
         */
        ids: string;
        /**
         * A message, bare or as `<flow>.<message>`.
         */
        metric: string;
        /**
         * `step`, `time` (seconds since the start of the run), or another metric, joined at equal steps.
         */
        x?: string;
        /**
         * Every how many points of a curve one is given; the last is always. 1 unless given.
         */
        stride?: number;
        /**
         * Most points of a curve, as columns: of each range of x the least and the greatest value stay.
         */
        points?: number;
    };
    url: '/runs/series/compare';
};

export type MetricsCompareErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type MetricsCompareError = MetricsCompareErrors[keyof MetricsCompareErrors];

export type MetricsCompareResponses = {
    /**
     * The curves, in the order of `ids`.
     */
    200: MetricComparison | CurveComparison;
};

export type MetricsCompareResponse = MetricsCompareResponses[keyof MetricsCompareResponses];

export type MetricsCompareManyData = {
    body: {
        /**
         * Ids of the runs.
         */
        ids: Array<string>;
        /**
         * Messages, bare or as `<flow>.<message>`.
         */
        metrics: Array<string>;
        /**
         * `step`, `time` (seconds since the start of the run), or another metric, joined at equal steps.
         */
        x?: string;
        /**
         * Most points of a curve; null for all. The least and greatest value of each range stay.
         */
        points?: number | null;
        /**
         * Only points of later steps.
         */
        after_step?: number;
        /**
         * An input, as `params.lr`: means and spread over the runs that share its value.
         */
        group?: string;
    };
    path?: never;
    query?: never;
    url: '/runs/series/compare';
};

export type MetricsCompareManyErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type MetricsCompareManyError = MetricsCompareManyErrors[keyof MetricsCompareManyErrors];

export type MetricsCompareManyResponses = {
    /**
     * The curves, metric by metric.
     */
    200: CurveComparison;
};

export type MetricsCompareManyResponse = MetricsCompareManyResponses[keyof MetricsCompareManyResponses];

export type RunsExportData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Names of flows, separated by commas.
         */
        flow?: string;
        /**
         * Statuses of runs, separated by commas.
         */
        status?: string;
        /**
         * Only runs of this sweep.
         */
        group?: string;
        /**
         * Only runs that executed the document of this digest.
         */
        digest?: string;
        /**
         * Ids of runs, separated by commas.
         */
        ids?: string;
        /**
         * Archived runs: left out, alone, or among the others. Left out unless given, but those named by `ids`.
         */
        archived?: 'false' | 'true' | 'any';
        /**
         * Only runs created at this time and later.
         */
        since?: string;
        /**
         * Only runs created before this time.
         */
        before?: string;
        /**
         * CSV (RFC 4180), or a JSON object a line.
         */
        format?: 'csv' | 'jsonl';
        /**
         * Only runs created at this time and before.
         */
        until?: string;
        /**
         * Inputs that become columns; a dotted path reaches into records, separated by commas.
         */
        params?: string;
        /**
         * Final outputs that become columns; a dotted path reaches into records, separated by commas.
         */
        metrics?: string;
    };
    url: '/runs/export/runs';
};

export type RunsExportErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type RunsExportError = RunsExportErrors[keyof RunsExportErrors];

export type RunsExportResponses = {
    /**
     * The table.
     */
    200: string;
};

export type RunsExportResponse = RunsExportResponses[keyof RunsExportResponses];

export type MetricsExportData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Names of flows, separated by commas.
         */
        flow?: string;
        /**
         * Statuses of runs, separated by commas.
         */
        status?: string;
        /**
         * Only runs of this sweep.
         */
        group?: string;
        /**
         * Only runs that executed the document of this digest.
         */
        digest?: string;
        /**
         * Ids of runs, separated by commas.
         */
        ids?: string;
        /**
         * Archived runs: left out, alone, or among the others. Left out unless given, but those named by `ids`.
         */
        archived?: 'false' | 'true' | 'any';
        /**
         * Only runs created at this time and later.
         */
        since?: string;
        /**
         * Only runs created before this time.
         */
        before?: string;
        /**
         * CSV (RFC 4180), or a JSON object a line.
         */
        format?: 'csv' | 'jsonl';
        /**
         * Only runs created at this time and before.
         */
        until?: string;
        /**
         * Inputs that become columns; a dotted path reaches into records, separated by commas.
         */
        params?: string;
        /**
         * Curves, bare or as `<flow>.<message>`, separated by commas.
         */
        metrics?: string;
    };
    url: '/runs/export/metrics';
};

export type MetricsExportErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type MetricsExportError = MetricsExportErrors[keyof MetricsExportErrors];

export type MetricsExportResponses = {
    /**
     * The table.
     */
    200: string;
};

export type MetricsExportResponse = MetricsExportResponses[keyof MetricsExportResponses];

export type ArtifactsPutData = {
    body: Blob | File;
    path?: never;
    query?: {
        /**
         * File name, shown when the bytes are downloaded.
         */
        name?: string;
        /**
         * Keep the bytes in memory alone.
         */
        volatile?: boolean;
    };
    url: '/artifacts';
};

export type ArtifactsPutErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `payload_too_large`: The body is too large
     */
    413: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * `unavailable`: Not available now
     */
    503: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type ArtifactsPutError = ArtifactsPutErrors[keyof ArtifactsPutErrors];

export type ArtifactsPutResponses = {
    /**
     * The bytes were stored already.
     */
    200: ArtifactRef;
    /**
     * The bytes are stored.
     */
    201: ArtifactRef;
};

export type ArtifactsPutResponse = ArtifactsPutResponses[keyof ArtifactsPutResponses];

export type ArtifactsDeleteData = {
    body?: never;
    path: {
        /**
         * Digest of the bytes, with or without `sha256:`.
         */
        digest: string;
    };
    query?: never;
    url: '/artifacts/{digest}';
};

export type ArtifactsDeleteErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `in_use`: Still in use
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type ArtifactsDeleteError = ArtifactsDeleteErrors[keyof ArtifactsDeleteErrors];

export type ArtifactsDeleteResponses = {
    /**
     * The bytes are deleted.
     */
    204: void;
};

export type ArtifactsDeleteResponse = ArtifactsDeleteResponses[keyof ArtifactsDeleteResponses];

export type ArtifactsGetData = {
    body?: never;
    path: {
        /**
         * Digest of the bytes, with or without `sha256:`.
         */
        digest: string;
    };
    query?: {
        /**
         * A ticket of `POST /artifacts/{digest}/ticket`, in place of the `Authorization` header.
         */
        ticket?: string;
    };
    url: '/artifacts/{digest}';
};

export type ArtifactsGetErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * The range begins behind the last byte.
     */
    416: unknown;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * `unavailable`: Not available now
     */
    503: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type ArtifactsGetError = ArtifactsGetErrors[keyof ArtifactsGetErrors];

export type ArtifactsGetResponses = {
    /**
     * All bytes.
     */
    200: Blob | File;
    /**
     * The bytes of the range.
     */
    206: Blob | File;
};

export type ArtifactsGetResponse = ArtifactsGetResponses[keyof ArtifactsGetResponses];

export type ArtifactsTicketData = {
    body?: never;
    path: {
        /**
         * Digest of the bytes, with or without `sha256:`.
         */
        digest: string;
    };
    query?: never;
    url: '/artifacts/{digest}/ticket';
};

export type ArtifactsTicketErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type ArtifactsTicketError = ArtifactsTicketErrors[keyof ArtifactsTicketErrors];

export type ArtifactsTicketResponses = {
    /**
     * The ticket.
     */
    201: ArtifactTicket;
};

export type ArtifactsTicketResponse = ArtifactsTicketResponses[keyof ArtifactsTicketResponses];

export type ArtifactsBeginUploadData = {
    body: {
        /**
         * SHA-256 of the bytes that are to come.
         */
        digest: string;
        /**
         * Bytes that are to come.
         */
        size: number;
        /**
         * File name, shown when the bytes are downloaded.
         */
        name?: string;
        /**
         * Media type of the bytes (RFC 6838).
         */
        media_type?: string;
    };
    path?: never;
    query?: never;
    url: '/artifacts/uploads';
};

export type ArtifactsBeginUploadErrors = {
    /**
     * `bad_request`: Bad request
     */
    400: Problem;
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `payload_too_large`: The body is too large
     */
    413: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * `unavailable`: Not available now
     */
    503: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type ArtifactsBeginUploadError = ArtifactsBeginUploadErrors[keyof ArtifactsBeginUploadErrors];

export type ArtifactsBeginUploadResponses = {
    /**
     * The bytes are stored already.
     */
    200: ArtifactRef;
    /**
     * Where the bytes go.
     */
    201: ArtifactUpload;
};

export type ArtifactsBeginUploadResponse = ArtifactsBeginUploadResponses[keyof ArtifactsBeginUploadResponses];

export type ArtifactsCompleteUploadData = {
    body?: never;
    path: {
        /**
         * Of the upload that was begun.
         */
        upload: string;
    };
    query?: never;
    url: '/artifacts/uploads/{upload}/complete';
};

export type ArtifactsCompleteUploadErrors = {
    /**
     * `bad_request`: Bad request
     */
    400: Problem;
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * `unavailable`: Not available now
     */
    503: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type ArtifactsCompleteUploadError = ArtifactsCompleteUploadErrors[keyof ArtifactsCompleteUploadErrors];

export type ArtifactsCompleteUploadResponses = {
    /**
     * The bytes are stored.
     */
    201: ArtifactRef;
};

export type ArtifactsCompleteUploadResponse = ArtifactsCompleteUploadResponses[keyof ArtifactsCompleteUploadResponses];

export type DashboardsListData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/dashboards/';
};

export type DashboardsListErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type DashboardsListError = DashboardsListErrors[keyof DashboardsListErrors];

export type DashboardsListResponses = {
    /**
     * Dashboards by name, without their content.
     */
    200: Array<DashboardListItem>;
};

export type DashboardsListResponse = DashboardsListResponses[keyof DashboardsListResponses];

export type DashboardsDeleteData = {
    body?: never;
    path: {
        /**
         * Name of the dashboard.
         */
        name: string;
    };
    query?: never;
    url: '/dashboards/{name}';
};

export type DashboardsDeleteErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `code_defined`: It is defined in code
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type DashboardsDeleteError = DashboardsDeleteErrors[keyof DashboardsDeleteErrors];

export type DashboardsDeleteResponses = {
    /**
     * The dashboard is gone.
     */
    204: void;
};

export type DashboardsDeleteResponse = DashboardsDeleteResponses[keyof DashboardsDeleteResponses];

export type DashboardsGetData = {
    body?: never;
    path: {
        /**
         * Name of the dashboard.
         */
        name: string;
    };
    query?: {
        /**
         * The draft, or the published content where there is none.
         */
        draft?: boolean;
    };
    url: '/dashboards/{name}';
};

export type DashboardsGetErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type DashboardsGetError = DashboardsGetErrors[keyof DashboardsGetErrors];

export type DashboardsGetResponses = {
    /**
     * The dashboard.
     */
    200: Dashboard;
};

export type DashboardsGetResponse = DashboardsGetResponses[keyof DashboardsGetResponses];

export type DashboardsCreateData = {
    body?: {
        /**
         * For people.
         */
        title?: string;
        /**
         * Its widgets and their grid.
         */
        content?: DashboardContent;
    };
    path: {
        /**
         * Name of the dashboard.
         */
        name: string;
    };
    query?: never;
    url: '/dashboards/{name}';
};

export type DashboardsCreateErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `already_exists`: The name is taken
     */
    409: Problem;
    /**
     * `payload_too_large`: The body is too large
     */
    413: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type DashboardsCreateError = DashboardsCreateErrors[keyof DashboardsCreateErrors];

export type DashboardsCreateResponses = {
    /**
     * The dashboard.
     */
    201: Dashboard;
};

export type DashboardsCreateResponse = DashboardsCreateResponses[keyof DashboardsCreateResponses];

export type DashboardsSaveData = {
    body: {
        /**
         * For people; what it is stays unless given.
         */
        title?: string;
        /**
         * Its widgets and their grid.
         */
        content?: DashboardContent;
        /**
         * The version that was read: refused when it is no longer that.
         */
        version?: number;
    };
    path: {
        /**
         * Name of the dashboard.
         */
        name: string;
    };
    query?: never;
    url: '/dashboards/{name}';
};

export type DashboardsSaveErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `version_conflict`: Somebody saved first · `code_defined`: It is defined in code
     */
    409: Problem;
    /**
     * `payload_too_large`: The body is too large
     */
    413: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type DashboardsSaveError = DashboardsSaveErrors[keyof DashboardsSaveErrors];

export type DashboardsSaveResponses = {
    /**
     * The draft is stored.
     */
    200: Dashboard;
};

export type DashboardsSaveResponse = DashboardsSaveResponses[keyof DashboardsSaveResponses];

export type DashboardsFromFlowData = {
    body?: {
        /**
         * Defaults to `{name}_copy`.
         */
        name?: string;
    };
    path: {
        /**
         * Name of the flow.
         */
        flow: string;
    };
    query?: never;
    url: '/dashboards/from-flow/{flow}';
};

export type DashboardsFromFlowErrors = {
    /**
     * `wrong_mode`: Not possible in this mode of the flow
     */
    400: Problem;
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `not_published`: Nothing is published · `already_exists`: The name is taken
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type DashboardsFromFlowError = DashboardsFromFlowErrors[keyof DashboardsFromFlowErrors];

export type DashboardsFromFlowResponses = {
    /**
     * The dashboard.
     */
    201: Dashboard;
};

export type DashboardsFromFlowResponse = DashboardsFromFlowResponses[keyof DashboardsFromFlowResponses];

export type DashboardsPublishData = {
    body?: {
        /**
         * The version that was read: refused when it is no longer that.
         */
        version?: number;
    };
    path: {
        /**
         * Name of the dashboard.
         */
        name: string;
    };
    query?: never;
    url: '/dashboards/{name}/publish';
};

export type DashboardsPublishErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `version_conflict`: Somebody saved first · `code_defined`: It is defined in code
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type DashboardsPublishError = DashboardsPublishErrors[keyof DashboardsPublishErrors];

export type DashboardsPublishResponses = {
    /**
     * The dashboard.
     */
    200: Dashboard;
};

export type DashboardsPublishResponse = DashboardsPublishResponses[keyof DashboardsPublishResponses];

export type DashboardsDiscardData = {
    body?: never;
    path: {
        /**
         * Name of the dashboard.
         */
        name: string;
    };
    query?: never;
    url: '/dashboards/{name}/discard';
};

export type DashboardsDiscardErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `not_published`: Nothing is published · `code_defined`: It is defined in code
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type DashboardsDiscardError = DashboardsDiscardErrors[keyof DashboardsDiscardErrors];

export type DashboardsDiscardResponses = {
    /**
     * The dashboard.
     */
    200: Dashboard;
};

export type DashboardsDiscardResponse = DashboardsDiscardResponses[keyof DashboardsDiscardResponses];

export type DashboardsRenameData = {
    body: {
        /**
         * The new name, which no other flow has.
         */
        name: string;
    };
    path: {
        /**
         * Name of the dashboard.
         */
        name: string;
    };
    query?: never;
    url: '/dashboards/{name}/rename';
};

export type DashboardsRenameErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `already_exists`: The name is taken · `code_defined`: It is defined in code
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type DashboardsRenameError = DashboardsRenameErrors[keyof DashboardsRenameErrors];

export type DashboardsRenameResponses = {
    /**
     * The dashboard under its new name.
     */
    200: Dashboard;
};

export type DashboardsRenameResponse = DashboardsRenameResponses[keyof DashboardsRenameResponses];

export type DashboardsDuplicateData = {
    body?: {
        /**
         * Defaults to `{name}_copy`.
         */
        name?: string;
    };
    path: {
        /**
         * Name of the dashboard.
         */
        name: string;
    };
    query?: never;
    url: '/dashboards/{name}/duplicate';
};

export type DashboardsDuplicateErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `already_exists`: The name is taken
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type DashboardsDuplicateError = DashboardsDuplicateErrors[keyof DashboardsDuplicateErrors];

export type DashboardsDuplicateResponses = {
    /**
     * The copy.
     */
    201: Dashboard;
};

export type DashboardsDuplicateResponse = DashboardsDuplicateResponses[keyof DashboardsDuplicateResponses];

export type DevicesListData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/devices/';
};

export type DevicesListErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type DevicesListError = DevicesListErrors[keyof DevicesListErrors];

export type DevicesListResponses = {
    /**
     * Devices by id.
     */
    200: Array<Device>;
};

export type DevicesListResponse = DevicesListResponses[keyof DevicesListResponses];

export type DevicesDeleteData = {
    body?: never;
    path: {
        /**
         * Of the device.
         */
        id: string;
    };
    query?: never;
    url: '/devices/{id}';
};

export type DevicesDeleteErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type DevicesDeleteError = DevicesDeleteErrors[keyof DevicesDeleteErrors];

export type DevicesDeleteResponses = {
    /**
     * The device is gone.
     */
    204: void;
};

export type DevicesDeleteResponse = DevicesDeleteResponses[keyof DevicesDeleteResponses];

export type DevicesGetData = {
    body?: never;
    path: {
        /**
         * Of the device.
         */
        id: string;
    };
    query?: never;
    url: '/devices/{id}';
};

export type DevicesGetErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type DevicesGetError = DevicesGetErrors[keyof DevicesGetErrors];

export type DevicesGetResponses = {
    /**
     * The device.
     */
    200: DeviceDetail;
};

export type DevicesGetResponse = DevicesGetResponses[keyof DevicesGetResponses];

export type DevicesCreateData = {
    body?: {
        /**
         * The id unless given.
         */
        name?: string;
    };
    path: {
        /**
         * Of the device.
         */
        id: string;
    };
    query?: never;
    url: '/devices/{id}';
};

export type DevicesCreateErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `already_exists`: The name is taken
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type DevicesCreateError = DevicesCreateErrors[keyof DevicesCreateErrors];

export type DevicesCreateResponses = {
    /**
     * The device.
     */
    201: DeviceDetail;
};

export type DevicesCreateResponse = DevicesCreateResponses[keyof DevicesCreateResponses];

export type DevicesSaveData = {
    body: {
        /**
         * The version that was read.
         */
        version: number;
        /**
         * For people.
         */
        name?: string;
    };
    path: {
        /**
         * Of the device.
         */
        id: string;
    };
    query?: never;
    url: '/devices/{id}';
};

export type DevicesSaveErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `version_conflict`: Somebody saved first
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type DevicesSaveError = DevicesSaveErrors[keyof DevicesSaveErrors];

export type DevicesSaveResponses = {
    /**
     * The device as it is now.
     */
    200: DeviceDetail;
};

export type DevicesSaveResponse = DevicesSaveResponses[keyof DevicesSaveResponses];

export type DevicesReportData = {
    body: {
        [key: string]: JsonValue;
    };
    path: {
        /**
         * Of the device.
         */
        id: string;
    };
    query?: never;
    url: '/devices/{id}/report';
};

export type DevicesReportErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `payload_too_large`: The body is too large
     */
    413: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type DevicesReportError = DevicesReportErrors[keyof DevicesReportErrors];

export type DevicesReportResponses = {
    /**
     * The report is stored.
     */
    204: void;
};

export type DevicesReportResponse = DevicesReportResponses[keyof DevicesReportResponses];

export type PairingStartData = {
    body?: {
        /**
         * What it calls itself, for people.
         */
        name?: string;
        /**
         * What hardware it is.
         */
        board?: string;
        /**
         * What software it runs.
         */
        firmware?: string;
    };
    path?: never;
    query?: never;
    url: '/devices/pair';
};

export type PairingStartErrors = {
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * `rate_limited`: Too many requests
     */
    429: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type PairingStartError = PairingStartErrors[keyof PairingStartErrors];

export type PairingStartResponses = {
    /**
     * The device waits.
     */
    201: PairingStarted;
};

export type PairingStartResponse = PairingStartResponses[keyof PairingStartResponses];

export type PairingPollData = {
    body?: never;
    path: {
        /**
         * What the device shows.
         */
        code: string;
    };
    query?: {
        /**
         * In place of the header.
         */
        secret?: string;
    };
    url: '/devices/pair/{code}';
};

export type PairingPollErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * `rate_limited`: Too many requests
     */
    429: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type PairingPollError = PairingPollErrors[keyof PairingPollErrors];

export type PairingPollResponses = {
    /**
     * How far the pairing is.
     */
    200: PairingPoll;
};

export type PairingPollResponse = PairingPollResponses[keyof PairingPollResponses];

export type PairingPendingData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/devices/pending';
};

export type PairingPendingErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type PairingPendingError = PairingPendingErrors[keyof PairingPendingErrors];

export type PairingPendingResponses = {
    /**
     * What waits to be adopted, the newest first.
     */
    200: Array<PendingDevice>;
};

export type PairingPendingResponse = PairingPendingResponses[keyof PairingPendingResponses];

export type PairingInspectData = {
    body?: never;
    path: {
        /**
         * What the device shows.
         */
        code: string;
    };
    query?: never;
    url: '/devices/pair/{code}/device';
};

export type PairingInspectErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * `rate_limited`: Too many requests
     */
    429: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type PairingInspectError = PairingInspectErrors[keyof PairingInspectErrors];

export type PairingInspectResponses = {
    /**
     * What waits.
     */
    200: PairingPreview;
};

export type PairingInspectResponse = PairingInspectResponses[keyof PairingInspectResponses];

export type DevicesPairData = {
    body: PairByCode | PairByRequest;
    path: {
        /**
         * Of the device.
         */
        id: string;
    };
    query?: never;
    url: '/devices/{id}/pair';
};

export type DevicesPairErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `already_paired`: Somebody else has adopted the device
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * `rate_limited`: Too many requests
     */
    429: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type DevicesPairError = DevicesPairErrors[keyof DevicesPairErrors];

export type DevicesPairResponses = {
    /**
     * The device as it is now.
     */
    200: DeviceDetail;
};

export type DevicesPairResponse = DevicesPairResponses[keyof DevicesPairResponses];

export type DevicesUnpairData = {
    body?: never;
    path: {
        /**
         * Of the device.
         */
        id: string;
    };
    query?: never;
    url: '/devices/{id}/unpair';
};

export type DevicesUnpairErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type DevicesUnpairError = DevicesUnpairErrors[keyof DevicesUnpairErrors];

export type DevicesUnpairResponses = {
    /**
     * The device as it is now.
     */
    200: DeviceDetail;
};

export type DevicesUnpairResponse = DevicesUnpairResponses[keyof DevicesUnpairResponses];

export type PanelsGetData = {
    body?: never;
    path: {
        /**
         * Of the device.
         */
        id: string;
    };
    query?: never;
    url: '/panels/{id}';
};

export type PanelsGetErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type PanelsGetError = PanelsGetErrors[keyof PanelsGetErrors];

export type PanelsGetResponses = {
    /**
     * The device.
     */
    200: DeviceDetail;
};

export type PanelsGetResponse = PanelsGetResponses[keyof PanelsGetResponses];

export type DevicesRuntimeData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/devices/runtime';
};

export type DevicesRuntimeErrors = {
    /**
     * Any other refusal
     */
    default: Problem;
};

export type DevicesRuntimeError = DevicesRuntimeErrors[keyof DevicesRuntimeErrors];

export type DevicesRuntimeResponses = {
    /**
     * Python source.
     */
    200: string;
};

export type DevicesRuntimeResponse = DevicesRuntimeResponses[keyof DevicesRuntimeResponses];

export type PanelsStartPairingData = {
    body?: {
        /**
         * What it calls itself, for people.
         */
        name?: string;
        /**
         * What hardware it is.
         */
        board?: string;
        /**
         * What software it runs.
         */
        firmware?: string;
    };
    path?: never;
    query?: never;
    url: '/panels/pair';
};

export type PanelsStartPairingErrors = {
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * `rate_limited`: Too many requests
     */
    429: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type PanelsStartPairingError = PanelsStartPairingErrors[keyof PanelsStartPairingErrors];

export type PanelsStartPairingResponses = {
    /**
     * The device waits.
     */
    201: PairingStarted;
};

export type PanelsStartPairingResponse = PanelsStartPairingResponses[keyof PanelsStartPairingResponses];

export type PanelsPollPairingData = {
    body?: never;
    path: {
        /**
         * What the device shows.
         */
        code: string;
    };
    query?: {
        /**
         * In place of the header.
         */
        secret?: string;
    };
    url: '/panels/pair/{code}';
};

export type PanelsPollPairingErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * `rate_limited`: Too many requests
     */
    429: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type PanelsPollPairingError = PanelsPollPairingErrors[keyof PanelsPollPairingErrors];

export type PanelsPollPairingResponses = {
    /**
     * How far the pairing is.
     */
    200: PairingPoll;
};

export type PanelsPollPairingResponse = PanelsPollPairingResponses[keyof PanelsPollPairingResponses];

export type SecretsListData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/secrets/';
};

export type SecretsListErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type SecretsListError = SecretsListErrors[keyof SecretsListErrors];

export type SecretsListResponses = {
    /**
     * Names, in their order.
     */
    200: Array<string>;
};

export type SecretsListResponse = SecretsListResponses[keyof SecretsListResponses];

export type SecretsUsageData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/secrets/usage';
};

export type SecretsUsageErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type SecretsUsageError = SecretsUsageErrors[keyof SecretsUsageErrors];

export type SecretsUsageResponses = {
    /**
     * Secrets without their values, by name.
     */
    200: Array<SecretUsage>;
};

export type SecretsUsageResponse = SecretsUsageResponses[keyof SecretsUsageResponses];

export type SecretsDeleteData = {
    body?: never;
    path: {
        /**
         * Name of the secret.
         */
        name: string;
    };
    query?: never;
    url: '/secrets/{name}';
};

export type SecretsDeleteErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `in_use`: Still in use
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type SecretsDeleteError = SecretsDeleteErrors[keyof SecretsDeleteErrors];

export type SecretsDeleteResponses = {
    /**
     * The secret is gone.
     */
    204: void;
};

export type SecretsDeleteResponse = SecretsDeleteResponses[keyof SecretsDeleteResponses];

export type SecretsSetData = {
    body: {
        /**
         * Text of at most 64 KiB. Values of fewer than 8 characters are not masked in logs.
         */
        value: string;
    };
    path: {
        /**
         * Name of the secret.
         */
        name: string;
    };
    query?: never;
    url: '/secrets/{name}';
};

export type SecretsSetErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type SecretsSetError = SecretsSetErrors[keyof SecretsSetErrors];

export type SecretsSetResponses = {
    /**
     * The value is stored.
     */
    204: void;
};

export type SecretsSetResponse = SecretsSetResponses[keyof SecretsSetResponses];

export type ConnectorsClearStateData = {
    body?: never;
    path: {
        /**
         * Node type of the connector.
         */
        node_type: string;
    };
    query?: never;
    url: '/connectors/{node_type}/state';
};

export type ConnectorsClearStateErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type ConnectorsClearStateError = ConnectorsClearStateErrors[keyof ConnectorsClearStateErrors];

export type ConnectorsClearStateResponses = {
    /**
     * Nothing is kept any more.
     */
    204: void;
};

export type ConnectorsClearStateResponse = ConnectorsClearStateResponses[keyof ConnectorsClearStateResponses];

export type ConnectorsListStateData = {
    body?: never;
    path: {
        /**
         * Node type of the connector.
         */
        node_type: string;
    };
    query?: never;
    url: '/connectors/{node_type}/state';
};

export type ConnectorsListStateErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type ConnectorsListStateError = ConnectorsListStateErrors[keyof ConnectorsListStateErrors];

export type ConnectorsListStateResponses = {
    /**
     * Keys, in their order.
     */
    200: Array<string>;
};

export type ConnectorsListStateResponse = ConnectorsListStateResponses[keyof ConnectorsListStateResponses];

export type ConnectorsDeleteKeyData = {
    body?: never;
    path: {
        /**
         * Node type of the connector.
         */
        node_type: string;
        /**
         * Under which the connector keeps the value.
         */
        key: string;
    };
    query?: never;
    url: '/connectors/{node_type}/state/{key}';
};

export type ConnectorsDeleteKeyErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type ConnectorsDeleteKeyError = ConnectorsDeleteKeyErrors[keyof ConnectorsDeleteKeyErrors];

export type ConnectorsDeleteKeyResponses = {
    /**
     * The key is gone.
     */
    204: void;
};

export type ConnectorsDeleteKeyResponse = ConnectorsDeleteKeyResponses[keyof ConnectorsDeleteKeyResponses];

export type WorkersListData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/workers';
};

export type WorkersListErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type WorkersListError = WorkersListErrors[keyof WorkersListErrors];

export type WorkersListResponses = {
    /**
     * Workers by name.
     */
    200: Array<Worker>;
};

export type WorkersListResponse = WorkersListResponses[keyof WorkersListResponses];

export type WorkersListTokensData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/workers/tokens';
};

export type WorkersListTokensErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type WorkersListTokensError = WorkersListTokensErrors[keyof WorkersListTokensErrors];

export type WorkersListTokensResponses = {
    /**
     * Tokens by name.
     */
    200: Array<WorkerToken>;
};

export type WorkersListTokensResponse = WorkersListTokensResponses[keyof WorkersListTokensResponses];

export type WorkersMintTokenData = {
    body: {
        /**
         * Name of the worker. No other live token may have it.
         */
        name: string;
        /**
         * What nodes ask for by `worker`, beside the name.
         */
        labels?: Array<string>;
    };
    path?: never;
    query?: never;
    url: '/workers/tokens';
};

export type WorkersMintTokenErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `already_exists`: The name is taken
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type WorkersMintTokenError = WorkersMintTokenErrors[keyof WorkersMintTokenErrors];

export type WorkersMintTokenResponses = {
    /**
     * The token, which is shown this once.
     */
    201: WorkerTokenMinted;
};

export type WorkersMintTokenResponse = WorkersMintTokenResponses[keyof WorkersMintTokenResponses];

export type WorkersRevokeTokenData = {
    body?: never;
    path: {
        /**
         * Of the token.
         */
        jti: string;
    };
    query?: never;
    url: '/workers/tokens/{jti}/revoke';
};

export type WorkersRevokeTokenErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type WorkersRevokeTokenError = WorkersRevokeTokenErrors[keyof WorkersRevokeTokenErrors];

export type WorkersRevokeTokenResponses = {
    /**
     * The token as it is now.
     */
    200: WorkerToken;
};

export type WorkersRevokeTokenResponse = WorkersRevokeTokenResponses[keyof WorkersRevokeTokenResponses];

export type WorkersRuntimeData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/workers/runtime';
};

export type WorkersRuntimeErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type WorkersRuntimeError = WorkersRuntimeErrors[keyof WorkersRuntimeErrors];

export type WorkersRuntimeResponses = {
    /**
     * Python source.
     */
    200: string;
};

export type WorkersRuntimeResponse = WorkersRuntimeResponses[keyof WorkersRuntimeResponses];

export type FlavorsListData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/flavors/';
};

export type FlavorsListErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type FlavorsListError = FlavorsListErrors[keyof FlavorsListErrors];

export type FlavorsListResponses = {
    /**
     * Flavors by name.
     */
    200: Array<Flavor>;
};

export type FlavorsListResponse = FlavorsListResponses[keyof FlavorsListResponses];

export type FlavorsCreateData = {
    body: {
        /**
         * By which flows name it.
         */
        name: string;
        /**
         * Processors.
         */
        cpus: number;
        /**
         * GPUs.
         */
        gpus: number;
        /**
         * Memory in MB.
         */
        ram_mb: number;
        /**
         * For people.
         */
        description?: string;
    };
    path?: never;
    query?: never;
    url: '/flavors/';
};

export type FlavorsCreateErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `already_exists`: The name is taken
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type FlavorsCreateError = FlavorsCreateErrors[keyof FlavorsCreateErrors];

export type FlavorsCreateResponses = {
    /**
     * The flavor.
     */
    201: Flavor;
};

export type FlavorsCreateResponse = FlavorsCreateResponses[keyof FlavorsCreateResponses];

export type FlavorsDeleteData = {
    body?: never;
    path: {
        /**
         * Name of the flavor.
         */
        name: string;
    };
    query?: never;
    url: '/flavors/{name}';
};

export type FlavorsDeleteErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `in_use`: Still in use
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type FlavorsDeleteError = FlavorsDeleteErrors[keyof FlavorsDeleteErrors];

export type FlavorsDeleteResponses = {
    /**
     * The flavor is gone.
     */
    204: void;
};

export type FlavorsDeleteResponse = FlavorsDeleteResponses[keyof FlavorsDeleteResponses];

export type FlavorsUpdateData = {
    body: {
        /**
         * Processors.
         */
        cpus?: number;
        /**
         * GPUs.
         */
        gpus?: number;
        /**
         * Memory in MB.
         */
        ram_mb?: number;
        /**
         * For people.
         */
        description?: string;
    };
    path: {
        /**
         * Name of the flavor.
         */
        name: string;
    };
    query?: never;
    url: '/flavors/{name}';
};

export type FlavorsUpdateErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type FlavorsUpdateError = FlavorsUpdateErrors[keyof FlavorsUpdateErrors];

export type FlavorsUpdateResponses = {
    /**
     * The flavor as it is now.
     */
    200: Flavor;
};

export type FlavorsUpdateResponse = FlavorsUpdateResponses[keyof FlavorsUpdateResponses];

export type WorkersResourcesData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/workers/resources';
};

export type WorkersResourcesErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type WorkersResourcesError = WorkersResourcesErrors[keyof WorkersResourcesErrors];

export type WorkersResourcesResponses = {
    /**
     * Sums over the attached workers, each of them, and the provisioners.
     */
    200: WorkerResources;
};

export type WorkersResourcesResponse = WorkersResourcesResponses[keyof WorkersResourcesResponses];

export type WorkersProvisionersReloadData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/workers/provisioners/reload';
};

export type WorkersProvisionersReloadErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type WorkersProvisionersReloadError = WorkersProvisionersReloadErrors[keyof WorkersProvisionersReloadErrors];

export type WorkersProvisionersReloadResponses = {
    /**
     * The provisioners of the file, in its order.
     */
    200: Array<ProvisionerState>;
};

export type WorkersProvisionersReloadResponse = WorkersProvisionersReloadResponses[keyof WorkersProvisionersReloadResponses];

export type WorkersProvisionersTestData = {
    body?: never;
    path: {
        /**
         * Name of the provisioner.
         */
        name: string;
        /**
         * Name of its profile.
         */
        profile: string;
    };
    query?: never;
    url: '/workers/provisioners/{name}/{profile}/test';
};

export type WorkersProvisionersTestErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type WorkersProvisionersTestError = WorkersProvisionersTestErrors[keyof WorkersProvisionersTestErrors];

export type WorkersProvisionersTestResponses = {
    /**
     * The test has begun.
     */
    202: ProvisionerTestBegun;
};

export type WorkersProvisionersTestResponse = WorkersProvisionersTestResponses[keyof WorkersProvisionersTestResponses];

export type WorkersProvisionersReadTestData = {
    body?: never;
    path: {
        /**
         * Of the test that was begun.
         */
        test: string;
    };
    query?: never;
    url: '/workers/provisioners/tests/{test}';
};

export type WorkersProvisionersReadTestErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type WorkersProvisionersReadTestError = WorkersProvisionersReadTestErrors[keyof WorkersProvisionersReadTestErrors];

export type WorkersProvisionersReadTestResponses = {
    /**
     * Its steps so far.
     */
    200: ProvisionerTest;
};

export type WorkersProvisionersReadTestResponse = WorkersProvisionersReadTestResponses[keyof WorkersProvisionersReadTestResponses];

export type ModulesGetData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/modules/';
};

export type ModulesGetErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type ModulesGetError = ModulesGetErrors[keyof ModulesGetErrors];

export type ModulesGetResponses = {
    /**
     * The modules of this engine.
     */
    200: Modules;
};

export type ModulesGetResponse = ModulesGetResponses[keyof ModulesGetResponses];

export type ModulesApplyData = {
    body: {
        /**
         * One requirement a line: `numpy>=2`, or `npm:<package>@<range>`; comments with `#`. Nothing removes everything.
         */
        requirements: string;
    };
    path?: never;
    query?: never;
    url: '/modules/apply';
};

export type ModulesApplyErrors = {
    /**
     * `environment_adopted`: The environment is read-only
     */
    400: Problem;
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `apply_running`: Modules are being applied
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type ModulesApplyError = ModulesApplyErrors[keyof ModulesApplyErrors];

export type ModulesApplyResponses = {
    /**
     * It is being built, or nothing has changed: `state` tells.
     */
    202: Modules;
};

export type ModulesApplyResponse = ModulesApplyResponses[keyof ModulesApplyResponses];

export type AlertsGetData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/alerts/config';
};

export type AlertsGetErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type AlertsGetError = AlertsGetErrors[keyof AlertsGetErrors];

export type AlertsGetResponses = {
    /**
     * The configuration.
     */
    200: AlertConfig;
};

export type AlertsGetResponse = AlertsGetResponses[keyof AlertsGetResponses];

export type AlertsPutData = {
    body: {
        /**
         * Whether any alert is sent.
         */
        enabled?: boolean;
        /**
         * Seconds from one message to the next about the same thing. What happens between is counted, and told at the end as one message.
         */
        min_interval_s?: number;
        /**
         * What alerts are sent about; all unless given.
         */
        events?: Array<AlertEvent>;
        /**
         * Where alerts go.
         */
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
    };
    path?: never;
    query?: never;
    url: '/alerts/config';
};

export type AlertsPutErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type AlertsPutError = AlertsPutErrors[keyof AlertsPutErrors];

export type AlertsPutResponses = {
    /**
     * The configuration as it is now.
     */
    200: AlertConfig;
};

export type AlertsPutResponse = AlertsPutResponses[keyof AlertsPutResponses];

export type AlertsTestData = {
    body?: never;
    path: {
        /**
         * `webhook`, `push` or `email`.
         */
        channel: string;
    };
    query?: never;
    url: '/alerts/test/{channel}';
};

export type AlertsTestErrors = {
    /**
     * `channel_not_configured`: The alert channel is not configured
     */
    400: Problem;
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type AlertsTestError = AlertsTestErrors[keyof AlertsTestErrors];

export type AlertsTestResponses = {
    /**
     * What became of it.
     */
    200: AlertTestResult;
};

export type AlertsTestResponse = AlertsTestResponses[keyof AlertsTestResponses];

export type BackupMakeData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Whether the bytes of artifacts are in it; those of a folder unless given.
         */
        artifacts?: boolean;
    };
    url: '/backup';
};

export type BackupMakeErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `in_use`: Still in use
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * `unavailable`: Not available now
     */
    503: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type BackupMakeError = BackupMakeErrors[keyof BackupMakeErrors];

export type BackupMakeResponses = {
    /**
     * The backup.
     */
    200: Blob | File;
};

export type BackupMakeResponse = BackupMakeResponses[keyof BackupMakeResponses];

export type EnginesListData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/engines';
};

export type EnginesListErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type EnginesListError = EnginesListErrors[keyof EnginesListErrors];

export type EnginesListResponses = {
    /**
     * The engines, and what none of them runs.
     */
    200: EngineList;
};

export type EnginesListResponse = EnginesListResponses[keyof EnginesListResponses];

export type ObservabilitySummaryData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/observability/summary';
};

export type ObservabilitySummaryErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type ObservabilitySummaryError = ObservabilitySummaryErrors[keyof ObservabilitySummaryErrors];

export type ObservabilitySummaryResponses = {
    /**
     * The state of the engine.
     */
    200: ObservabilitySummary;
};

export type ObservabilitySummaryResponse = ObservabilitySummaryResponses[keyof ObservabilitySummaryResponses];

export type UtilsHealthData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/utils/health/';
};

export type UtilsHealthErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `unavailable`: Not available now
     */
    503: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type UtilsHealthError = UtilsHealthErrors[keyof UtilsHealthErrors];

export type UtilsHealthResponses = {
    /**
     * It works.
     */
    200: Health;
};

export type UtilsHealthResponse = UtilsHealthResponses[keyof UtilsHealthResponses];

export type ObservabilityTimeseriesData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Names of flows, separated by commas.
         */
        flow?: string;
        /**
         * From the minute of this time on; the last 24 hours unless given.
         */
        since?: string;
        /**
         * To the minute of this time; now unless given.
         */
        until?: string;
        /**
         * Seconds of a bucket, a multiple of 60.
         */
        bucket?: number;
    };
    url: '/observability/timeseries';
};

export type ObservabilityTimeseriesErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type ObservabilityTimeseriesError = ObservabilityTimeseriesErrors[keyof ObservabilityTimeseriesErrors];

export type ObservabilityTimeseriesResponses = {
    /**
     * The buckets.
     */
    200: Array<TimeBucket>;
};

export type ObservabilityTimeseriesResponse = ObservabilityTimeseriesResponses[keyof ObservabilityTimeseriesResponses];

export type ObservabilityFlowsData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * From the minute of this time on; the last 7 days unless given.
         */
        since?: string;
    };
    url: '/observability/flows';
};

export type ObservabilityFlowsErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type ObservabilityFlowsError = ObservabilityFlowsErrors[keyof ObservabilityFlowsErrors];

export type ObservabilityFlowsResponses = {
    /**
     * All flows by name.
     */
    200: Array<FlowRollup>;
};

export type ObservabilityFlowsResponse = ObservabilityFlowsResponses[keyof ObservabilityFlowsResponses];

export type ObservabilityCascadesData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Rows at most.
         */
        limit?: number;
        /**
         * Only rows older than this: the `created_at` of the last row read.
         */
        before?: string;
        /**
         * Only rows of this time and later.
         */
        since?: string;
        /**
         * Names of flows, separated by commas.
         */
        flow?: string;
        /**
         * Statuses, separated by commas: running, ok, error, abandoned.
         */
        status?: string;
    };
    url: '/observability/runs';
};

export type ObservabilityCascadesErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type ObservabilityCascadesError = ObservabilityCascadesErrors[keyof ObservabilityCascadesErrors];

export type ObservabilityCascadesResponses = {
    /**
     * A page of cascades.
     */
    200: Array<Cascade>;
};

export type ObservabilityCascadesResponse = ObservabilityCascadesResponses[keyof ObservabilityCascadesResponses];

export type ObservabilityEventsData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Rows at most.
         */
        limit?: number;
        /**
         * Only rows older than this: the `created_at` of the last row read.
         */
        before?: string;
        /**
         * Only rows of this time and later.
         */
        since?: string;
        /**
         * Kinds, separated by commas: audit, health, alert, worker, device, engine.
         */
        kind?: string;
        /**
         * Names of flows, separated by commas.
         */
        flow?: string;
        /**
         * Ids of nodes, separated by commas.
         */
        node?: string;
        /**
         * What actions begin with: `flow.` or `user.create`.
         */
        action?: string;
        /**
         * The e-mail or the id of the user who did it.
         */
        actor?: string;
        /**
         * Only rows older than this, on every page.
         */
        until?: string;
    };
    url: '/observability/events';
};

export type ObservabilityEventsErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type ObservabilityEventsError = ObservabilityEventsErrors[keyof ObservabilityEventsErrors];

export type ObservabilityEventsResponses = {
    /**
     * A page of events.
     */
    200: Array<ObservabilityEvent>;
};

export type ObservabilityEventsResponse = ObservabilityEventsResponses[keyof ObservabilityEventsResponses];

export type ObservabilityDeadLetterData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Rows at most.
         */
        limit?: number;
        /**
         * Only rows older than this: the `created_at` of the last row read.
         */
        before?: string;
        /**
         * Only rows of this time and later.
         */
        since?: string;
        /**
         * Names of flows, separated by commas.
         */
        flow?: string;
        /**
         * Ids of nodes, separated by commas.
         */
        node?: string;
        /**
         * Reasons, separated by commas: crash, overflow, expired, loop_limit, lease, stopped.
         */
        reason?: string;
    };
    url: '/observability/dead-letter';
};

export type ObservabilityDeadLetterErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type ObservabilityDeadLetterError = ObservabilityDeadLetterErrors[keyof ObservabilityDeadLetterErrors];

export type ObservabilityDeadLetterResponses = {
    /**
     * A page of dead letters.
     */
    200: Array<DeadLetter>;
};

export type ObservabilityDeadLetterResponse = ObservabilityDeadLetterResponses[keyof ObservabilityDeadLetterResponses];

export type ObservabilityReplayManyData = {
    body?: {
        /**
         * Only of this flow.
         */
        flow?: string;
        /**
         * Only of this node.
         */
        node?: string;
        /**
         * Only those that were not done for this reason.
         */
        reason?: 'crash' | 'overflow' | 'expired' | 'loop_limit' | 'lease' | 'stopped';
        /**
         * Only of this time and later.
         */
        since?: string;
        /**
         * Only before this time.
         */
        until?: string;
    };
    path?: never;
    query?: never;
    url: '/observability/dead-letter/replay';
};

export type ObservabilityReplayManyErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_active`: The flow is not active
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type ObservabilityReplayManyError = ObservabilityReplayManyErrors[keyof ObservabilityReplayManyErrors];

export type ObservabilityReplayManyResponses = {
    /**
     * How many were delivered.
     */
    200: Replayed;
};

export type ObservabilityReplayManyResponse = ObservabilityReplayManyResponses[keyof ObservabilityReplayManyResponses];

export type ObservabilityReplayData = {
    body?: never;
    path: {
        /**
         * Of the dead letter.
         */
        id: string;
    };
    query?: never;
    url: '/observability/dead-letter/{id}/replay';
};

export type ObservabilityReplayErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `not_active`: The flow is not active
     */
    409: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type ObservabilityReplayError = ObservabilityReplayErrors[keyof ObservabilityReplayErrors];

export type ObservabilityReplayResponses = {
    /**
     * It was delivered.
     */
    202: ReplayResult;
};

export type ObservabilityReplayResponse = ObservabilityReplayResponses[keyof ObservabilityReplayResponses];

export type ObservabilityDismissData = {
    body?: never;
    path: {
        /**
         * Of the dead letter.
         */
        id: string;
    };
    query?: never;
    url: '/observability/dead-letter/{id}/dismiss';
};

export type ObservabilityDismissErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `not_found`: Not found
     */
    404: Problem;
    /**
     * `validation_failed`: The request is not valid
     */
    422: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type ObservabilityDismissError = ObservabilityDismissErrors[keyof ObservabilityDismissErrors];

export type ObservabilityDismissResponses = {
    /**
     * It is gone.
     */
    204: void;
};

export type ObservabilityDismissResponse = ObservabilityDismissResponses[keyof ObservabilityDismissResponses];

export type ObservabilityFlushData = {
    body?: never;
    path?: never;
    query?: never;
    url: '/observability/flush';
};

export type ObservabilityFlushErrors = {
    /**
     * `unauthenticated`: Authentication is missing or not valid
     */
    401: Problem;
    /**
     * `forbidden`: Permission is missing
     */
    403: Problem;
    /**
     * `unavailable`: Not available now
     */
    503: Problem;
    /**
     * Any other refusal
     */
    default: Problem;
};

export type ObservabilityFlushError = ObservabilityFlushErrors[keyof ObservabilityFlushErrors];

export type ObservabilityFlushResponses = {
    /**
     * How many rows were written.
     */
    200: FlushResult;
};

export type ObservabilityFlushResponse = ObservabilityFlushResponses[keyof ObservabilityFlushResponses];
