// Stands in for everything when there is nothing to draw.
export function Failure({ message }: { message: string }) {
    return (
        <div class="card failure" role="alert">
            <h1>This diagram cannot be shown</h1>
            <p>{message}</p>
        </div>
    );
}
